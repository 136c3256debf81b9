// `npm run compatibility`: runs client libraries against a service. With the reference server it records the results and
// writes the table of docs/server.md; with `--base-url` it prints them. Only this file writes to the terminal.
import { writeFileSync } from 'node:fs'
import { consoleOptions, createPen } from '../../harness/cli/pen.ts'
import { runProgram } from '../../harness/cli/run-program.ts'
import { printable } from '../../harness/cli/text.ts'
import { UsageError } from '../../harness/cli/usage-error.ts'
import { createRedactor } from '../../harness/redact.ts'
import { type Client, USES, readClients, writeClients } from './clients.ts'
import { type CompatibilityOptions, readOptions } from './flags.ts'
import { targetEnvironment, withReferenceServer } from './environment.ts'
import { type Tried, tryClient } from './try-client.ts'

type Environment = Readonly<Record<string, string>>

const redactor = createRedactor()
const pen = createPen(consoleOptions(process.stdout, process.env))

const SIGNS = { works: '✓', fails: '✗', 'not tried': '–' } as const
const STYLES = { works: 'green', fails: 'red', 'not tried': 'gray' } as const

function show({ use, outcome, reason }: Tried): string {
  const sign = pen.paint(STYLES[outcome], SIGNS[outcome])
  const why = reason === undefined ? '' : `  ${printable(redactor.text(reason)).slice(0, 300)}`
  return `  ${sign} ${(USES[use] ?? use).padEnd(24)} ${outcome}${why}\n`
}

/** Runs the program of a client, and prints the result of each use. Undefined if it is not installed. */
async function tryUses({ name, title, version, command }: Client, env: Environment, signal: AbortSignal) {
  process.stdout.write(`${pen.paint('bold', title)} ${version}\n`)
  const tried = await tryClient(command, env, signal)
  if (tried === undefined) process.stdout.write(`  not installed: fixtures/clients/install.sh ${name}\n`)
  for (const one of tried ?? []) process.stdout.write(show(one))
  return tried
}

/** Tries the clients with the reference server, and records the results. */
async function record(wanted: readonly Client[], signal: AbortSignal): Promise<boolean> {
  const clients = readClients()
  let holds = true
  for (const one of clients.filter(({ name }) => wanted.some((client) => client.name === name))) {
    const found = await withReferenceServer((env) => tryUses(one, env, signal))
    const missing = Object.keys(one.tried).filter(
      (use) => found?.every((tried) => tried.use !== use) !== false,
    )
    if (missing.length > 0) process.stdout.write(`  not tried this time: ${missing.join(', ')}\n`)
    holds &&= missing.length === 0 && found?.every(({ outcome }) => outcome === 'works') === true
    if (found !== undefined)
      one.tried = Object.fromEntries(found.map(({ use, reason }) => [use, reason ?? 'works']))
  }
  writeClients(clients)
  return holds
}

async function run(options: CompatibilityOptions, signal: AbortSignal): Promise<number> {
  const { baseUrl, model, json, wanted, mustBeInstalled } = options
  if (baseUrl === undefined) return (await record(wanted, signal)) ? 0 : 1
  const { CONFORMANCE_API_KEY: key = '', CONFORMANCE_LIMITED_KEY: limited = '' } = process.env
  redactor.add(key)
  redactor.add(limited)
  const env = await targetEnvironment({ baseUrl, model, environment: process.env }, signal)
  process.stdout.write(`${baseUrl}, model ${printable(env.MODEL)}\n`)
  const results: { client: Client; tried: readonly Tried[] | undefined }[] = []
  for (const client of wanted) results.push({ client, tried: await tryUses(client, env, signal) })
  const all = results.flatMap(({ tried }) => tried ?? [])
  const count = (outcome: Tried['outcome']): number => all.filter((one) => one.outcome === outcome).length
  const [works, fails, skipped] = [count('works'), count('fails'), count('not tried')]
  process.stdout.write(
    `${works} uses work, ${fails} do not${skipped === 0 ? '' : `, ${skipped} not tried`}  (${results.length} clients)\n`,
  )
  if (json !== undefined) {
    const clients = results.map(({ client: { name, title, version }, tried }) => {
      return { name, title, version, installed: tried !== undefined, tried: tried ?? [] }
    })
    const report = { baseUrl, model: env.MODEL, clients }
    writeFileSync(json, redactor.text(`${JSON.stringify(report, undefined, 2)}\n`))
  }
  if (all.length === 0) throw new UsageError('nothing was tried: no client is installed')
  const absent = mustBeInstalled && results.some(({ tried }) => tried === undefined)
  return fails > 0 || absent ? 1 : 0
}

await runProgram({
  name: 'compatibility',
  read: (args) => readOptions(args, readClients()),
  safe: redactor.text,
  run,
})
