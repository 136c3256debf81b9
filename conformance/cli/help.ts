// The text of `--help`.
import { PROGRAM } from '../../harness/program.ts'

export const HELP = `Usage: ${PROGRAM} [COMMAND] [FLAGS]

Commands
  run                    judge a service (default); without --base-url the reference server is started
  list                   every check, without running one
  explain ID             a requirement or check: its text, what is accepted, an example
  compare A.json B.json  reports side by side, and what changed between two of one server
  mutants                judge the judge, by servers known to be faulty: --only selects them by id or row

Target
  --base-url URL         the root address, with or without /v1
  --model ID             default: the first that GET /v1/models lists; of several, as A,B, one after the other is judged
  --profile NAME         service (default): the whole specification; wire: the chat completions format
  --header 'NAME: VALUE' sent with every request; may be repeated
  --limit N/SECONDS      the limit of the limited key

Selection
  --only PATTERN         glob over check and requirement ids, as 'AUTH-*' or 'wire.*'; commas separate several
  --catalogue VERSION    leaves out the checks that came after this version of the catalogue
  --seed N               of everything random (random, and printed, where not given)
  --runs N               cases of each property (50)

Bounds
  --concurrency N        cases at once (4)
  --timeout SECONDS      for one answer (30); a check may take twice that, at least a minute
  --max-requests N       for the whole run (no bound)
  --requests-per-second N  begun at most, bursts to the limited key aside (no bound)

Verdict
  --strict               a SHOULD that does not hold fails
  --require NAME,NAME    a capability that the target refuses fails, as n,stop,echo
  --baseline FILE        expected failures: [{"check","reason"}]; an entry that passes fails the run
  --allow-incomplete     a MUST that could not be judged does not change the exit code

Reports
  --json, --junit, --html, --markdown FILE
  --badge FILE           the verdict for a badge, in the endpoint format of shields.io
  --config FILE          JSON with these flags as keys, and the credentials under their names

  --version, --help
  In GitHub Actions what does not hold is annotated, and the step gets the Markdown report as its summary.

Credentials, from the environment or the config file only
  CONFORMANCE_API_KEY          the key to judge with
  CONFORMANCE_SECOND_KEY       another valid key
  CONFORMANCE_REVOKED_KEY      a key that was revoked
  CONFORMANCE_RESTRICTED_KEY   a key that may not use CONFORMANCE_RESTRICTED_MODEL
  CONFORMANCE_LIMITED_KEY      a key whose limit may be used up
  CONFORMANCE_KEY_COMMAND      makes what is missing: run with 'create [--models A,B] [--limit N/SECONDS]',
                               which prints {"id","secret"}, and 'revoke ID'

Proxies and private authorities: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE

Exit codes
  0  every applicable MUST passed      2  usage, target not reachable, no check, or an error of the suite
  1  a requirement failed              3  nothing failed, but a MUST could not be judged
  130, 143  interrupted by SIGINT or SIGTERM: everything that was made is revoked and stopped, and what was
            judged by then is reported
`
