// The environment of what the judge starts. A client program gets the variables that programs and their languages need, and
// those that the operator names: the others may be keys of other services. A gateway is the operator's own program, which such
// variables configure: it gets all but the keys of the judge.
import { withSection } from '../../../harness/page-section.ts'
import { UsageError } from '../../../harness/cli/usage-error.ts'
import type { Environment } from '../settings.ts'
import { CREDENTIAL_NAMES } from '../credentials.ts'

/** The variables that are passed, in either case, in the lines of the table in docs/clients.md. */
export const PASSED_VARIABLES: Readonly<Record<string, string>> = {
  'the system': 'PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP TZ TERM LD_LIBRARY_PATH DYLD_LIBRARY_PATH',
  'the language of texts': 'LANG LANGUAGE LC_*',
  'proxies and certificates':
    'HTTP_PROXY HTTPS_PROXY ALL_PROXY NO_PROXY NODE_EXTRA_CA_CERTS SSL_CERT_FILE SSL_CERT_DIR REQUESTS_CA_BUNDLE CURL_CA_BUNDLE',
  'programming languages':
    'NODE_PATH NODE_OPTIONS NODE_ENV NODE_NO_WARNINGS PYTHONPATH PYTHONHOME PYTHONUTF8 PYTHONUNBUFFERED PYTHONIOENCODING PYENV_ROOT PYENV_VERSION VIRTUAL_ENV CONDA_PREFIX GOPATH GOROOT GOCACHE GOMODCACHE GOFLAGS GOPROXY GOTOOLCHAIN JAVA_HOME JAVA_OPTS JAVA_TOOL_OPTIONS CARGO_HOME RUSTUP_HOME RUSTUP_TOOLCHAIN DOTNET_ROOT GEM_HOME GEM_PATH RUBYLIB XDG_CACHE_HOME XDG_CONFIG_HOME XDG_DATA_HOME',
  Windows:
    'SystemRoot SystemDrive ComSpec PATHEXT windir APPDATA LOCALAPPDATA USERPROFILE ProgramData ProgramFiles',
  'habits of programs': 'CI DEBUG FAULT HOST NO_COLOR FORCE_COLOR PORT',
  'this protocol': 'TOUCHSTONE_*',
}

const MARKS = {
  begin: '<!-- variables: `npm run docs` writes this table -->',
  end: '<!-- end of variables -->',
}

/** The page with the passed variables between its marks. */
export function withVariableTable(page: string): string {
  const rows = Object.entries(PASSED_VARIABLES).map(
    ([about, names]) => `| ${about} | ${names.replaceAll(/\S+/g, '`$&`')} |`,
  )
  return withSection(page, MARKS, ['| for | variables |', '|---|---|', ...rows])
}

/** The hosts of the scripted service: no proxy may stand between it and the program. */
const OWN_HOSTS = '127.0.0.1,127.0.0.2,localhost'

const PATTERN = new RegExp(
  `^(?:${Object.values(PASSED_VARIABLES)
    .join(' ')
    .replaceAll('*', String.raw`\w+`)
    .replaceAll(' ', '|')})$`,
  'i',
)

/**
 * The environment of a program; each scenario adds its own variables. `named` are further variables of the operator. Throws
 * `UsageError` if one of these is not set, or is a key of the judge.
 */
export function programEnvironment(environment: Environment, named: readonly string[] = []) {
  for (const name of named) {
    if (!/^\w+$/.test(name)) throw new UsageError('--env: expected the name of a variable, without its value')
    if (CREDENTIAL_NAMES.some((own) => own === name))
      throw new UsageError(`--env ${name}: a program never gets the keys of the judge`)
    if (environment[name] === undefined) throw new UsageError(`--env ${name}: the variable is not set`)
  }
  return withoutProxy(environment, (name) => PATTERN.test(name) || named.includes(name))
}

/** The environment of a gateway. */
export const gatewayEnvironment = (environment: Environment) =>
  withoutProxy(environment, (name) => !CREDENTIAL_NAMES.some((own) => own === name))

/** The kept variables, and no proxy before the hosts of the scripted service. */
function withoutProxy(environment: Environment, isKept: (name: string) => boolean) {
  const kept = Object.entries(environment).filter(([name]) => isKept(name))
  const direct = [environment['NO_PROXY'] ?? environment['no_proxy'], OWN_HOSTS]
    .filter((hosts) => hosts)
    .join(',')
  return { ...Object.fromEntries(kept), NO_PROXY: direct, no_proxy: direct }
}
