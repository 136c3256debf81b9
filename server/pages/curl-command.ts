// A request as one POSIX shell command.

/** `url` is quoted already; the key comes from the environment variable `key`. With `body`, the command sends JSON. */
export function curlCommand(url: string, key: string, body?: string): string {
  const json = body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quotedForShell(body)}`]
  return [`curl ${url}`, `-H "Authorization: Bearer $${key}"`, ...json].join(' \\\n  ')
}

export function quotedForShell(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`
}
