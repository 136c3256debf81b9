"""Answers every conversation with one sentence, word by word."""
import os

import litserve


class Sentence(litserve.LitAPI):
    def setup(self, device):
        pass

    def predict(self, prompt):
        yield from ["abcdefghij", " klmnop", " quick", " brown", " foxes", " jump"]


if __name__ == "__main__":
    server = litserve.LitServer(Sentence(spec=litserve.OpenAISpec()), accelerator="cpu")
    server.run(host="127.0.0.1", port=int(os.environ["PORT"]), generate_client_file=False, num_api_servers=8)
