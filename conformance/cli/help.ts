// The text of `--help`.
import { renderHelp } from '../../harness/cli/flags.ts'
import { PROGRAM } from '../../harness/program.ts'
import { FLAGS } from './flags.ts'

export const HELP = `Usage: ${PROGRAM} [COMMAND] [FLAGS]

Commands
  run                    judge a service (default); without --base-url the reference server is started
  list                   every check, without running one
  explain ID             a requirement or check: its text, what is accepted, an example
  compare A.json B.json  reports side by side, and what changed between two of one server
  mutants                judge the judge, by servers known to be faulty: --only selects them by id or row

${renderHelp(FLAGS)}

In GitHub Actions what does not hold is annotated, and the step gets the Markdown report as its summary.

Credentials, from the environment or the config file only
  CONFORMANCE_API_KEY          the key to judge with
  CONFORMANCE_SECOND_KEY       another valid key
  CONFORMANCE_REVOKED_KEY      a key that was revoked
  CONFORMANCE_RESTRICTED_KEY   a key that may not use CONFORMANCE_RESTRICTED_MODEL
  CONFORMANCE_LIMITED_KEY      a key whose limit may be exhausted
  CONFORMANCE_KEY_COMMAND      makes what is missing: run with 'create [--models A,B] [--limit N/SECONDS]',
                               which prints {"id","secret"}, and 'revoke ID'

Proxies and private authorities: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE

Exit codes
  0  every applicable MUST passed      2  usage, target unreachable, no check, or an error of the suite
  1  a requirement failed              3  nothing failed, but a MUST could not be judged
  130, 143  interrupted by SIGINT or SIGTERM: what the run made is revoked and stopped, and what was
            judged by then is reported
`
