// Who uses the page: signing in, who that is, signing out, and that it stays the same person.
import { beforeWriting, call, forgive } from "./api.js";
import { faultText } from "./fault.js";
import { byId, forgetPerson, h, keep, kept, remember, remembered, say } from "./view.js";

// Whom this page was drawn for, as tenant/name; empty while that is not known, or after signing out.
let mine = "";

/** Return whom this page was drawn for, or an empty text. */
export function person() {
  return mine;
}

/** Show who the service takes the reader for; where that is somebody new, the page is loaded anew. */
export async function showPerson() {
  const me = await call("v1/me");
  // What a browser or a tab remembers belongs to whoever was signed in when it was kept.
  if ([remembered("person"), kept("person")].some((before) => before && before !== who(me))) return makeWay(me);
  mine = who(me);
  remember("person", mine);
  keep("person", mine);
  byId("person-name").textContent = me.name;
  byId("who-name").textContent = me.name;
  const facts = [["person_tenant", [me.tenant]], ["person_groups", me.groups], ["person_roles", me.roles]];
  const rows = facts.flatMap(([key, values]) => [
    h("dt", { say: key }),
    values.length ? h("dd", {}, values.join(", ")) : h("dd", { class: "hint", say: "person_none" }),
  ]);
  return byId("who-facts").replaceChildren(...rows);
}

function who({ tenant, name }) {
  return `${tenant}/${name}`;
}

/** Load the page anew for somebody else, with nothing of whom it was drawn for; never returns. */
function makeWay(me) {
  mine = "";
  forgetPerson({ everywhere: remembered("person") !== who(me) });
  remember("person", who(me));
  keep("person", who(me));
  location.reload();
  return new Promise(() => {});
}

/** Make sure that the service still takes the reader for the person whom the page was drawn for. */
async function sure() {
  // The service did not answer when the page was loaded: it is drawn for whoever is found now.
  if (!mine) return showPerson();
  const me = await call("v1/me");
  return who(me) === mine ? undefined : makeWay(me);
}

/** Another tab may have signed out, or signed somebody else in: look when there is a sign of it. */
function keepSure() {
  const look = () => mine && sure().catch(forgive);
  beforeWriting(sure);
  addEventListener("storage", ({ key }) => {
    if (key === null || key === "weft.person") look();
  });
  addEventListener("pageshow", ({ persisted }) => persisted && look());
  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) look();
  });
}

/** Let the person's buttons act; `leave` shows the door. */
export function beginPerson(leave) {
  keepSure();
  byId("person").addEventListener("click", () => {
    byId("who-fault").textContent = "";
    byId("who").showModal();
  });
  byId("who-close").addEventListener("click", () => byId("who").close());
  const signOut = async (path) => {
    byId("who-fault").textContent = "";
    try {
      await call(path, { method: "POST" });
    } catch (error) {
      forgive(error);
      // Whose session has ended is out already.
      if (error.status !== 401) return say(byId("who-fault"), ...faultText(error));
    }
    mine = "";
    byId("question").value = "";
    forgetPerson();
    return leave();
  };
  byId("sign-out").addEventListener("click", () => signOut("v1/sign-out"));
  byId("sign-out-all").addEventListener("click", () => signOut("v1/sign-out?all=true"));
  byId("sign-in").addEventListener("submit", (event) => {
    event.preventDefault();
    signIn();
  });
}

async function signIn() {
  const fault = byId("sign-in-fault");
  say(fault, "");
  const body = { name: byId("sign-in-name").value.trim(), password: byId("sign-in-password").value };
  const tenant = byId("sign-in-tenant").value.trim();
  if (tenant) body.tenant = tenant;
  try {
    await call("v1/sign-in", { method: "POST", body });
  } catch (error) {
    forgive(error);
    say(fault, ...said(error));
    byId("sign-in-password").select();
    return;
  }
  location.reload();
}

function said(error) {
  if (error.status === 401) return ["sign_in_refused"];
  if (error.status === 429) return ["sign_in_later", { seconds: error.message.match(/\d+/)?.[0] ?? 60 }];
  return faultText(error);
}
