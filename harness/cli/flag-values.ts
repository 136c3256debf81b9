// The readers of flags and settings. Each takes the text and the name of the value, and throws `UsageError` in one line
// that says what is expected.
import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import type { Profile, RequestLimit } from '../target-facts.ts'
import { UsageError } from './usage-error.ts'

export type Reader<Value> = (text: string, name: string) => Value

/** The address of a service: without slashes at the end of its path, perhaps with a query, and never with credentials. */
export function serviceAddress(value: string, name: string): string {
  const url = new URL(httpAddress(value, name))
  return url.origin + url.pathname.replace(/\/+$/, '') + url.search
}

/** The root of the service at an address: without its query and its `/v1`. */
export function rootAddress(value: string, name: string): string {
  return serviceAddress(value, name).replace(/\?.*$/, '').replace(/\/v1$/, '')
}

/** An http or https address as it is given, without credentials and fragment. */
export function httpAddress(value: string, name: string): string {
  const url = URL.canParse(value) ? new URL(value) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new UsageError(`${name}: expected an http or https address, as http://127.0.0.1:8080`)
  if (url.username !== '' || url.password !== '')
    throw new UsageError(`${name}: no credentials in the address; set CONFORMANCE_API_KEY`)
  if (url.hash !== '') throw new UsageError(`${name}: no fragment in the address`)
  const [operation] = /\/chat\/completions\/?$/.exec(url.pathname) ?? []
  if (operation !== undefined)
    throw new UsageError(
      `${name}: expected the address of the API without its operations: remove ${operation}`,
    )
  return value
}

/** Any text but white space. */
export function notEmpty(value: string, name: string): string {
  if (value.trim() === '') throw new UsageError(`${name}: expected a value that is not empty`)
  return value
}

/** One or more names, separated by commas, each of them once. */
export function names(value: string, name: string): readonly string[] {
  return [...new Set(value.split(',').map((part) => notEmpty(part, name).trim()))]
}

/** One of these words; `expected` lists them in the message. */
export function oneOf<Word extends string>(
  words: readonly Word[],
  expected = words.join(' or '),
): Reader<Word> {
  return (value, name) => {
    const word = words.find((each) => each === value)
    if (word !== undefined) return word
    throw new UsageError(`${name}: expected ${expected}, got '${value}'`)
  }
}

export const profile: Reader<Profile> = oneOf(['service', 'wire'])

/** Reads a whole number in decimal digits within these bounds. */
export function whole(least: number, most: number): Reader<number> {
  return (value, name) => {
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= least && number <= most) return number
    const upTo = most === Number.MAX_SAFE_INTEGER ? `at least ${least}` : `from ${least} to ${most}`
    throw new UsageError(`${name}: expected a whole number ${upTo}, got '${value}'`)
  }
}

/** Reads a number above 0 and up to this bound, perhaps with a fraction. */
export function positive(most: number): Reader<number> {
  return (value, name) => {
    const number = Number(value)
    if (/^\d+(\.\d+)?$/.test(value) && number > 0 && number <= most) return number
    throw new UsageError(`${name}: expected a number above 0 and at most ${most}, as 0.5, got '${value}'`)
  }
}

/** Reads a rate per second. */
export const perSecond = positive(1000)

/** Reads `N/SECONDS`, two positive numbers. */
export function requestLimit(value: string, name: string): RequestLimit {
  const [, requests, windowSeconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,8})$/.exec(value) ?? []
  if (requests === undefined || windowSeconds === undefined)
    throw new UsageError(`${name}: expected N/SECONDS, as 5/2, got '${value}'`)
  return { requests: Number(requests), windowSeconds: Number(windowSeconds) }
}

const JUDGES_OWN = /^(host|content-length|transfer-encoding|connection)$/i

/** `NAME: VALUE`; a header that the judge sends itself is refused. */
export function headerLine(line: string): [name: string, value: string] {
  const [, header, value] = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e]*)$/.exec(line) ?? []
  // The value is not repeated: it may be a secret.
  if (header === undefined || value === undefined) throw new UsageError(`--header: expected 'NAME: VALUE'`)
  if (JUDGES_OWN.test(header) || /^authorization$/i.test(header))
    throw new UsageError(`--header: ${header} is the judge's own; keys are set by CONFORMANCE_API_KEY`)
  return [header, value]
}

/** The name of a header. */
export function headerName(value: string, name: string): string {
  if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value)) return value
  // The text is not repeated: it may be a header with its value.
  throw new UsageError(`${name}: expected the name of a header, for example X-Request-Token`)
}

/** The name of the header for keys. */
export function authHeader(value: string, name: string): string {
  if (/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(value) && !JUDGES_OWN.test(value)) return value
  throw new UsageError(`${name}: expected the name of a header, as api-key, got '${value}'`)
}

/** Reads the path of a file to write, in an existing folder; returns it as an absolute path. */
export function reportFile(value: string, name: string): string {
  const file = resolve(notEmpty(value, name))
  const folder = dirname(file)
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new UsageError(`${name}: there is no folder ${folder}`)
  if (existsSync(file) && statSync(file).isDirectory()) throw new UsageError(`${name}: ${file} is a folder`)
  return file
}

/** A file as `reportFile`, in a folder in which files can be created, so that it can be replaced as a whole. */
export function replacedFile(value: string, name: string): string {
  const file = reportFile(value, name)
  const trial = `${file}.${process.pid}.trial`
  try {
    writeFileSync(trial, '', { flag: 'wx' })
    rmSync(trial)
  } catch {
    throw new UsageError(`${name}: cannot create a file in the folder ${dirname(file)}`)
  }
  return file
}

/** Makes a folder, and those around it, unless it exists. Throws `UsageError`. */
export function makeFolder(folder: string, name: string): void {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new UsageError(`${name}: cannot make the folder ${folder} (${String(Object(error).code)})`)
  }
}
