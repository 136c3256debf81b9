#!/bin/sh
# Installs what the program in fixtures/clients/langchain-python needs.
exec "$ROOT/fixtures/clients/install.sh" langchain-python
