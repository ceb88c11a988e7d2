"""A model that is not there any more: its name, while its replies come from a tape."""

from __future__ import annotations

from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.settings import ModelSettings

from weft.domain.errors import NotOnTape


class RecordedModel(Model):
    """Says nothing of itself."""

    def __init__(self, name: str) -> None:
        """Take the name that the model had."""
        super().__init__()
        self._name = name

    @property
    def model_name(self) -> str:
        """Return the name."""
        return self._name

    @property
    def system(self) -> str:
        """Return who provides the model: the tape."""
        return "tape"

    async def _request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Raise `NotOnTape`: it was asked what it had not been asked then."""
        raise NotOnTape(model=self._name)

    # Named by the framework, whose order of parameters it is.
    request = _request
