#!/bin/sh
# Installs what the program in fixtures/clients/openai-go needs.
exec "$ROOT/fixtures/clients/install.sh" openai-go
