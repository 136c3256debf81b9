#!/bin/sh
# Installs what the program in fixtures/clients/async-openai needs.
exec "$ROOT/fixtures/clients/install.sh" async-openai
