// Who uses the page: signing in, who that is, signing out.
import { call, forgive } from "./api.js";
import { t } from "./texts.js";
import { byId, forgetPerson, h, remember, remembered } from "./view.js";

/** Show who the service takes the reader for. */
export async function showPerson() {
  const me = await call("v1/me");
  // What a browser remembers belongs to whoever was signed in when it was kept.
  const who = `${me.tenant}/${me.name}`;
  const before = remembered("person");
  if (before && before !== who) forgetPerson();
  remember("person", who);
  if (before && before !== who) return location.reload();
  byId("person-name").textContent = me.name;
  byId("who-name").textContent = me.name;
  const facts = [["person_tenant", [me.tenant]], ["person_groups", me.groups], ["person_roles", me.roles]];
  const rows = facts.flatMap(([key, values]) => [
    h("dt", { say: key }),
    values.length ? h("dd", {}, values.join(", ")) : h("dd", { class: "hint", say: "person_none" }),
  ]);
  return byId("who-facts").replaceChildren(...rows);
}

/** Let the person's buttons act; `leave` shows the door. */
export function beginPerson(leave) {
  byId("person").addEventListener("click", () => byId("who").showModal());
  byId("who-close").addEventListener("click", () => byId("who").close());
  const signOut = (path) => call(path, { method: "POST" }).then(() => {
    forgetPerson();
    leave();
  }, forgive);
  byId("sign-out").addEventListener("click", () => signOut("v1/sign-out"));
  byId("sign-out-all").addEventListener("click", () => signOut("v1/sign-out?all=true"));
  byId("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    signIn();
  });
}

async function signIn() {
  const fault = byId("sign-in-fault");
  fault.textContent = "";
  const body = { name: byId("sign-in-name").value.trim(), password: byId("sign-in-password").value };
  const tenant = byId("sign-in-tenant").value.trim();
  if (tenant) body.tenant = tenant;
  try {
    await call("v1/sign-in", { method: "POST", body });
  } catch (error) {
    forgive(error);
    fault.textContent = said(error);
    byId("sign-in-password").select();
    return;
  }
  location.reload();
}

function said(error) {
  if (error.status === 401) return t("sign_in_refused");
  if (error.status === 429) return t("sign_in_later", { seconds: error.message.match(/\d+/)?.[0] ?? 60 });
  return error.message;
}
