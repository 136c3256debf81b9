// The service under attack: one that a person names, or a reference server; a key for the attackers, another one for
// the quiet client.
import { UsageError } from '../../../harness/cli/usage-error.ts'
import { commandWords, createKeyMaker, type KeyMaker } from '../../../harness/keys/key-command.ts'
import { findService } from '../../exchanges/capture/find-service.ts'
import type { Redactor } from '../../../harness/secrets/redact.ts'
import { settingsFor, startKeyedServer } from '../../../harness/reference-server.ts'
import type { FuzzOptions } from './fuzz-flags.ts'

const ECHO_MODEL = 'svc-0.1-echo'

/** Time limits of the server below the fuzzer's own for an answer, so that the server ends every attack. */
const SERVER_SETTINGS = { REQUEST_TIMEOUT_SECONDS: '5', GENERATION_TIMEOUT_SECONDS: '15' } as const

/** Shorter limits for attacks on connections, so that many of them end within a run. */
const CONNECTION_SETTINGS = {
  REQUEST_TIMEOUT_SECONDS: '2',
  GENERATION_TIMEOUT_SECONDS: '4',
  WRITE_TIMEOUT_SECONDS: '2',
  CLOSE_GRACE_MS: '1000',
} as const

export type FuzzTarget = Awaited<ReturnType<typeof openTarget>>

/** Throws `UsageError` where keys are missing, `StartError`, `KeyCommandError`. */
export async function openTarget(
  options: FuzzOptions,
  env: Readonly<Record<string, string | undefined>>,
  redactor: Redactor,
  signal: AbortSignal,
) {
  const { baseUrl: given, authHeader } = options
  if (given === undefined) return await started(options, redactor, signal)
  const { CONFORMANCE_API_KEY: attackKey, CONFORMANCE_SECOND_KEY: quietKey } = env
  const words = commandWords(env['CONFORMANCE_KEY_COMMAND'] ?? '')
  const model = options.model ?? ECHO_MODEL
  const target = { model, quietModel: options.quietModel ?? model, pid: undefined }
  const find = (key: string): Promise<string> => findService(given, { key, authHeader }, signal)
  if (words.length > 0) {
    const maker = createKeyMaker({ words, onSecret: redactor.add })
    const keys = await keysOf(maker)
    const baseUrl = await find(keys.attackKey)
    return { ...target, baseUrl, ...keys, [Symbol.asyncDispose]: () => maker.revokeAll() }
  }
  if (!attackKey || !quietKey)
    throw new UsageError('set CONFORMANCE_KEY_COMMAND, or CONFORMANCE_API_KEY and CONFORMANCE_SECOND_KEY')
  for (const key of [attackKey, quietKey]) redactor.add(key)
  const baseUrl = await find(attackKey)
  return { ...target, baseUrl, attackKey, quietKey, async [Symbol.asyncDispose]() {} }
}

async function started(options: FuzzOptions, redactor: Redactor, signal: AbortSignal) {
  const settings = {
    ...(options.objective === 'connections' ? CONNECTION_SETTINGS : SERVER_SETTINGS),
    // Models that are not attacked are not started: their processes would count in the measured memory.
    ...settingsFor(options.model, options.quietModel),
  }
  const server = await startKeyedServer(signal, redactor.add, { settings })
  try {
    return {
      baseUrl: server.baseUrl,
      /** The process whose memory is measured; known only if the fuzzer started the server. */
      pid: server.pid,
      model: options.model ?? ECHO_MODEL,
      quietModel: options.quietModel ?? ECHO_MODEL,
      ...(await keysOf(server.keyMaker)),
      [Symbol.asyncDispose]: server.stop,
    }
  } catch (error) {
    await server.stop()
    throw error
  }
}

async function keysOf(maker: KeyMaker) {
  const [attack, quiet] = [await maker.create(), await maker.create()]
  return { attackKey: attack.secret, quietKey: quiet.secret }
}
