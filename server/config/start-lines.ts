// The lines that the server prints at its start. The first line is the base URL and nothing else: programs read it.

export interface StartFacts {
  readonly url: string
  /** The storage: an absolute path, or an address without a password. */
  readonly data: string
  readonly models: readonly string[]
  /** The address of the metrics, if there are any. */
  readonly metrics?: string | undefined
  /** The operator's password, if it was generated at this start: it is shown only once. */
  readonly generatedPassword: string | undefined
}

/** The lines, without line ends. */
export function startLines({ url, data, models, metrics, generatedPassword }: StartFacts): string[] {
  const password = generatedPassword ?? '<operator password>'
  return [
    url,
    `  dashboard   ${url}/dashboard`,
    ...(generatedPassword === undefined
      ? []
      : [`  password    ${generatedPassword}   (shown this once: keep it, or set DASHBOARD_PASSWORD)`]),
    `  documents   ${url}/docs`,
    `  models      ${models.join(', ')}`,
    `  data        ${data}`,
    ...(metrics === undefined ? [] : [`  metrics     ${metrics}`]),
    `  judge it    DASHBOARD_URL=${url} DASHBOARD_PASSWORD='${password}' CONFORMANCE_KEY_COMMAND='node server/dashboard/key-command.ts' npx touchstone --base-url ${url}`,
  ]
}

/** Writes one line for the operator. */
export function warn(line: string): void {
  process.stderr.write(`${line}\n`)
}

/** Ends a start that cannot succeed: one line for the operator, exit code 2. */
export function fail(line: string): never {
  warn(line)
  process.exit(2)
}
