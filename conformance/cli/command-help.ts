// The commands of the judge, and the text of their help.
import type { ProgramSpec } from '../../harness/cli/command-line.ts'
import { PROGRAMS } from '../../harness/cli/programs.js'
import { PROGRAM, isExecutable } from '../../harness/program.ts'
import { CI_FILES, CI_FLAGS, NEXT_BASELINE } from './ci-flags.ts'
import { FLAGS } from './judge-flags.ts'

const EXIT_CODES = `Exit codes:
  0  every applicable MUST holds
  1  a requirement does not hold, or an entry of the baseline passes
  2  wrong usage, unreachable target, no check selected, or a fault of the judge
  3  nothing failed, but a MUST could not be judged
  130, 143  interrupted by SIGINT or SIGTERM; the report has the checks judged until then`

const EXIT_0_OR_2 = `Exit codes:
  0  printed
  2  wrong usage`

const CREDENTIALS = `Credentials (from the environment or the config file):
  CONFORMANCE_API_KEY         the key to judge with
  CONFORMANCE_SECOND_KEY      another valid key
  CONFORMANCE_REVOKED_KEY     a revoked key
  CONFORMANCE_RESTRICTED_KEY  a key that cannot use the model CONFORMANCE_RESTRICTED_MODEL
  CONFORMANCE_LIMITED_KEY     a key whose rate limit the judge may exceed
  CONFORMANCE_KEY_COMMAND     a command that makes missing keys: 'create [--models A,B] [--limit N/SECONDS]'
                              prints {"id","secret"}, and 'revoke ID' revokes a key

Proxies and certificate authorities: HTTP_PROXY, HTTPS_PROXY, NO_PROXY, NODE_EXTRA_CA_CERTS, SSL_CERT_FILE
Bounds of files and answers: CONFORMANCE_MAX_…, each with its unit in docs/settings.md`

/** The flags of `ci` as they are typed. */
export const CI_WORDS = Object.entries(CI_FLAGS).map(([name, value]) =>
  value === true ? `--${name}` : `--${name} ${value}`,
)

const examples = (...lines: readonly string[]): string =>
  ['Examples:', ...lines.map((line) => `  ${PROGRAM} ${line}`)].join('\n')

export const JUDGE = {
  name: PROGRAM,
  about: 'Judges a chat completions service, or a program that calls one, by numbered requirements.',
  flags: FLAGS,
  advice: [
    [/unknown option '--(api-?)?(key|token)\b/i, 'a key is never a flag; set CONFORMANCE_API_KEY to it'],
  ],
  // A mistyped command is none.
  isOperand: (word) => /[:/.]|^localhost$/.test(word),
  commands: [
    {
      name: 'check',
      alias: 'run',
      about: 'Judge a service (the default command)',
      operands: '[url]',
      notes: [
        CREDENTIALS,
        examples(
          'check https://api.example.com --profile wire',
          "check --only 'AUTH-*,STREAM-2' --html report.html",
        ),
        EXIT_CODES,
      ].join('\n\n'),
    },
    {
      name: 'ci',
      about: 'Judge a service in a job: quick and bounded, new failures alone fail it',
      operands: '[url]',
      notes: [
        examples('ci http://127.0.0.1:8000', 'ci http://127.0.0.1:8000 --catalogue 2026-12 --wait 60'),
        `It is check with these flags, each of which can be given otherwise:\n  ${CI_WORDS.join('\n  ')}
and writes to --out: ${[...Object.values(CI_FILES), NEXT_BASELINE].join(', ')}.

The first run writes the baseline, in which every failure has a reason, and passes. Commit that file: from then on
a new failure alone fails. ${NEXT_BASELINE} is the baseline as this run would write it.`,
        CREDENTIALS,
        EXIT_CODES,
      ].join('\n\n'),
    },
    {
      name: 'client',
      about: 'Judge a program that calls a service',
      operands: '[command...]',
      notes: [examples('client -- python my_app.py', "client --only 'RETRY-*' --serve"), EXIT_CODES].join(
        '\n\n',
      ),
    },
    {
      name: 'gateway',
      about: 'Judge a gateway between clients and a service, such as LiteLLM',
      operands: '[command...]',
      notes: [
        examples(
          'gateway --base-url http://127.0.0.1:4000 --model my-model',
          'gateway --base-url http://127.0.0.1:4000 --quick -- litellm --config litellm.yaml',
        ),
        'Keys, from the environment:\n  CONFORMANCE_API_KEY         the key that clients of the gateway use, if it demands one\n  CONFORMANCE_UPSTREAM_KEY    the key that the gateway sends to its upstream; without it one is made and printed',
        'The first lines say how to configure the gateway; the judge then waits until a request reaches its upstream.\nWith a command behind -- the judge starts the gateway itself, with the address and the key of the upstream in\nTOUCHSTONE_UPSTREAM and TOUCHSTONE_UPSTREAM_KEY, or for {upstream} and {upstream_key} in its words.',
        EXIT_CODES,
      ].join('\n\n'),
    },
    {
      name: 'pair',
      about: 'Judge a program together with the real service that it calls, and which of them is at fault',
      operands: '[command...]',
      notes: [
        examples('pair --base-url http://127.0.0.1:8000 -- python my_app.py'),
        'CONFORMANCE_API_KEY is the key of the service, which the program gets.',
        EXIT_CODES,
      ].join('\n\n'),
    },
    {
      name: 'capture',
      about: 'Forward requests to a service unchanged, and record every exchange to a file',
      operands: '[url]',
      notes: [
        examples('capture http://127.0.0.1:8000 --listen 4100 --out traffic.jsonl'),
        'Ctrl-C ends it with a complete file. Credentials are replaced before anything is written.',
        'Exit codes:\n  0  ended by SIGINT or SIGTERM\n  2  wrong usage, or the port or the file cannot be used',
      ].join('\n\n'),
    },
    {
      name: 'recorded',
      about:
        'Judge recordings without sending a request: captures, HAR 1.2 files (.har), and what bundles show',
      operands: '[files...]',
      notes: [
        examples('recorded traffic.jsonl --profile wire', 'recorded session.har --subject client'),
        EXIT_CODES,
      ].join('\n\n'),
    },
    {
      name: 'verify',
      about:
        'Judge bundles again, without any network, and compare each outcome with the recorded one; judge other recordings as `recorded` does',
      operands: '[files...]',
      notes: [
        examples('verify run.zip', 'verify results/'),
        'Exit codes:\n  0  every recorded outcome is confirmed\n  1  a check has another outcome, or cannot be judged again\n  2  wrong usage, or a bundle is damaged',
      ].join('\n\n'),
    },
    {
      name: 'list',
      about: 'Print every check without running one',
      notes: [examples("list --only 'WIRE-*' --json checks.json"), EXIT_0_OR_2].join('\n\n'),
    },
    {
      name: 'explain',
      about: 'Print the text of a requirement or check, the accepted answers and an example',
      operands: '[id]',
      notes: [examples('explain AUTH-2', 'explain auth.no-space --recording run.zip'), EXIT_0_OR_2].join(
        '\n\n',
      ),
    },
    {
      name: 'compare',
      about: 'Print reports side by side, or the changes between two reports on one service',
      operands: '[reports...]',
      notes: [examples('compare a.json b.json --html comparison.html'), EXIT_0_OR_2].join('\n\n'),
    },
    {
      name: 'mutants',
      about: 'Judge the judge with servers or clients that are known to be faulty',
      notes: [
        examples("mutants --only 'AUTH-*'", 'mutants --derived --sample 100 --seed 7'),
        'Exit codes:\n  0  the judge is right about each of them\n  1  it is not\n  2  wrong usage, or nothing was judged',
      ].join('\n\n'),
    },
    {
      name: 'complete',
      about: 'Print the completion script of a shell: bash, zsh or fish',
      operands: '[shell...]',
      choices: ['bash', 'zsh', 'fish'],
      notes: [examples('complete bash'), EXIT_0_OR_2].join('\n\n'),
    },
  ],
  notes: `${examples('check', 'check https://api.example.com --profile wire', 'list --help')}

Other programs, each with \`--help\`:
${Object.entries(PROGRAMS)
  .filter(([, { isInExecutable = false }]) => isInExecutable || !isExecutable)
  .map(([name, { about }]) => `  ${PROGRAM} ${name.padEnd(12)} ${about}`)
  .join('\n')}

Without a command the judge runs \`check\`; without an address it judges the reference server, which it starts.
\`${PROGRAM} COMMAND --help\` prints the flags, examples and exit codes of a command.`,
} as const satisfies ProgramSpec

export type Command = (typeof JUDGE)['commands'][number]['name']
