"""A pipeline that answers every conversation with one sentence, word by word."""

from hayhooks import BasePipelineWrapper


class PipelineWrapper(BasePipelineWrapper):
    def setup(self):
        pass

    def run_chat_completion(self, model, messages, body):
        yield from ["abcdefghij", " klmnop", " quick", " brown", " foxes", " jump"]
