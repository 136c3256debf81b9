// Every secret that the operator of a run gives: keys, headers, parts of addresses, and variables of the environment. All
// output of the run hides them.
import { addressSecrets, environmentSecrets } from '../../../harness/secrets/known-secrets.ts'
import { type Redactor, isOrdinary } from '../../../harness/secrets/redact.ts'
import type { ConformanceOptions, Settings } from '../settings.ts'

type Given = Pick<Settings, 'baseUrl' | 'credentials' | 'headers' | 'environment'>

/** Hides them in everything that this redactor gets from now on. */
export function hideGiven(redactor: Redactor, given: Given, ...addresses: readonly string[]): void {
  for (const secret of given.credentials.secrets.keys()) redactor.add(secret)
  for (const [name, value] of Object.entries(given.headers)) redactor.addHeader(name, value)
  for (const address of [given.baseUrl ?? '', ...addresses]) redactor.addAddresses(address)
  redactor.addEnvironment(given.environment)
}

/** Those of addresses and of the environment, as texts that a capture or a bundle hides. */
export function otherSecrets({
  baseUrl = '',
  environment,
}: Pick<ConformanceOptions, 'baseUrl' | 'environment'>): readonly string[] {
  const secrets = [
    ...addressSecrets(baseUrl).map(([, value]) => value),
    ...environmentSecrets(environment ?? process.env),
  ]
  return secrets.filter((secret) => !isOrdinary(secret))
}
