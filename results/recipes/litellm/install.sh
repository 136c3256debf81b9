#!/bin/sh
# Installs what the program in fixtures/clients/litellm needs.
exec "$ROOT/fixtures/clients/install.sh" litellm
