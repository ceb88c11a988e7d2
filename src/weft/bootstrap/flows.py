"""The flows: their services, joined once a process."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from weft.agents.answering import Caution
from weft.agents.roles import Agents
from weft.agents.tools.catalog import EVERY_TOOL
from weft.agents.tools.library import Retrieval, RunLibrary
from weft.bases.readiness import readiness
from weft.bootstrap.app import App
from weft.bootstrap.engines import walker_of
from weft.bootstrap.fetching import web_search_of
from weft.bootstrap.knowledge import bases_of, top_k_of
from weft.bootstrap.logs import lines_of_runs
from weft.bootstrap.models import chat_model
from weft.bootstrap.tracing import traces_of
from weft.config import Settings
from weft.domain.readiness import Readiness
from weft.domain.scope import Scope
from weft.flows.catalog import FlowCatalog, shipped_flows
from weft.flows.flow import Flow
from weft.flows.quota import DayAllowance, Quota
from weft.flows.roles import RoleFiller
from weft.flows.running import FlowRunner
from weft.flows.services import Services
from weft.flows.steering import RunSteering
from weft.flows.toolkits import OpenLibrary, Survey, Toolkits
from weft.platform.manifest import ToolCatalog
from weft.platform.policy import OpenPolicy
from weft.platform.tools import Dispatcher, DispatcherDeps
from weft.platform.trail.audited_policy import AuditedPolicy
from weft.ports.files.rdf import RdfStatement
from weft.ports.files.rdf_dataset import RdfDataset
from weft.ports.policy import Policy
from weft.ports.records.runs import Runs
from weft.retrieval.document_passages import pages
from weft.retrieval.lookup import lookup
from weft.retrieval.namesakes import namesakes
from weft.retrieval.search import search
from weft.retrieval.tables.desk import TableDesk
from weft.runtime.amounts import Limits
from weft.runtime.live_runs import LiveRuns, Tap
from weft.verification.citations import Unsupported


def build_flows(
    app: App,
    *,
    runs: Runs | None = None,
    taps: Sequence[Tap] | None = None,
    more: Sequence[Flow] = (),
) -> FlowRunner:
    """Build what runs flows in this process; `more` are flows beside the shipped ones.

    `runs` keeps their runs, if given; `taps` hear of them, by default what writes log lines where
    a command is to write any.

    With a model configured it blocks for a second the first time, unless `load_models` was called.
    """
    records = app.records
    policy = AuditedPolicy(OpenPolicy(), records.audit)
    dispatcher = Dispatcher(
        DispatcherDeps(
            catalog=ToolCatalog(EVERY_TOOL),
            policy=policy,
            tool_runs=records.tool_runs,
            audit=records.audit,
            clock=app.clock,
        )
    )
    traces, kept = traces_of(app, records.runs), runs or records.runs
    heard = lines_of_runs(app.settings) if taps is None else [*taps]
    heard += [] if traces is None else [traces.observe]
    kept = LiveRuns(kept, heard) if heard else kept
    services = Services(
        filler=RoleFiller(_agents(app, dispatcher)),
        toolkits=Toolkits(dispatcher, _opening(app, policy), survey=_surveying(app)),
        policy=policy,
        runs=kept,
        audit=records.audit,
        tape=records.tape,
        tool_runs=records.tool_runs,
        steering=records.steering,
        clock=app.clock,
        most=_most(app.settings),
        quota=quota_of(app),
        traces=traces,
        unsupported=Unsupported(app.settings.values.unsupported),
        caution=Caution(app.settings.values.answers),
        cross_reader=app.cross_reader,
        agent_s=app.settings.values.agent_deadline,
        walker=walker_of(app),
    )
    shipped = shipped_flows(is_graph=app.settings.values.use_graph_execution)
    return FlowRunner(services, FlowCatalog((*shipped, *more)))


def build_steering(app: App, *, runs: Runs | None = None) -> RunSteering:
    """Build what steers runs and jobs, wherever they go on."""
    records = app.records
    return RunSteering(
        runs=runs or records.runs,
        jobs=records.jobs,
        orders=records.steering,
        audit=records.audit,
    )


def _most(settings: Settings) -> Limits:
    """Return the most that a run may spend here, whatever its caller asks for."""
    values = settings.values
    return Limits(
        tokens=values.run_tokens,
        money=values.run_money,
        wall_s=values.run_seconds,
        iterations=values.run_iterations,
        tool_calls=values.run_tool_calls,
    )


def quota_of(app: App) -> Quota:
    """Return what a day's model calls may take."""
    values = app.settings.values
    return Quota(
        app.records.usage,
        app.clock,
        person=DayAllowance(tokens=values.quota_tokens, money=values.quota_money),
        tenant=DayAllowance(tokens=values.quota_tenant_tokens, money=values.quota_tenant_money),
    )


class _DatasetsOnDemand:
    """Datasets of RDF, whose library comes in with the first of them."""

    def dataset(self, statements: Iterable[RdfStatement]) -> RdfDataset:
        """Return a dataset that holds these statements and no others."""
        from weft.adapters.rdf.dataset import OxigraphDataset

        return OxigraphDataset(statements)


def _opening(app: App, policy: Policy) -> OpenLibrary:
    desk, web = TableDesk(), web_search_of(app.settings, app.records.audit)

    async def open_library(scope: Scope, names: tuple[str, ...]) -> RunLibrary:
        stores = [await app.library.named(scope, name) for name in names]
        made_with = {store.name: store.made_with for store in stores}
        return RunLibrary(
            ontology_of=lambda name: app.ontologies.of(made_with[name]),
            bases=bases_of(stores),
            embedder=app.embedder,
            retrieval=Retrieval(search=search, lookup=lookup, namesakes=namesakes, pages=pages),
            tables=desk,
            policy=policy,
            tape=app.records.tape,
            top_k=top_k_of(app.settings, stores),
            web=web,
            rdf=_DatasetsOnDemand(),
        )

    return open_library


def _surveying(app: App) -> Survey:
    async def survey(scope: Scope, names: tuple[str, ...]) -> tuple[Readiness, ...]:
        return tuple(await readiness(app.library, scope, names))

    return survey


def _agents(app: App, dispatcher: Dispatcher) -> Agents | None:
    """Return the configured model as it fills roles; its framework comes in only with one."""
    model = chat_model(app.settings)
    if model is None:
        return None
    from weft.agents.model.costs import read_prices
    from weft.agents.model.prompts import Prompts
    from weft.agents.model.runner import ModelAgents, ModelTerms

    app.chat_models.append(model)
    values, folder = app.settings.values, app.settings.home / "prompts"
    prompts = Prompts(folder if folder.is_dir() else None)
    terms = ModelTerms(deadline_s=values.model_deadline, prices=read_prices(values.model_price))
    return ModelAgents(model, prompts, dispatcher=dispatcher, terms=terms)


def load_models(settings: Settings) -> None:
    """Bring in the agent framework, where a model is configured: a second, best in a thread."""
    if settings.values.model != "offline":
        import weft.agents.model.runner  # noqa: F401  # the import is the point
