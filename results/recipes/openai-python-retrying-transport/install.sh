#!/bin/sh
# Installs what the program in fixtures/clients/openai-python-retrying-transport needs.
exec "$ROOT/fixtures/clients/install.sh" openai-python
