// Values that a service must take (WIRE-10): all of them in one request, and each alone if that is refused, to find the one at
// fault.
import type { Members } from '../../../../contract/capabilities.ts'
import type { CaseContext } from '../../case.ts'
import { PROMPT, isSuccess, isTooLongForModel, messagesOf, noted, succeeded } from '../requests/chat-calls.ts'
import { requireOrdinary } from '../streaming/streamed-answers.ts'

/** A value by the members of a request with it, and those of the same request with another value, which is taken. */
export interface Value {
  readonly members: Members
  readonly usual: Members
}

/** Sends all values together. A value is refused if it is refused alone, and the usual one is taken. */
export async function takenTogether(
  t: CaseContext,
  values: Readonly<Record<string, Value>>,
  form: Members,
): Promise<void> {
  const ask = (members: Members) => t.chat({ messages: messagesOf(PROMPT), ...members, ...form })
  const entries = Object.entries(values)
  const all = await ask(Object.assign({}, ...entries.map(([, { members }]) => members)))
  if (isSuccess(all)) return t.expect(all, succeeded)
  await requireOrdinary(t, form['stream'] === true)
  for (const [name, { members, usual }] of entries) {
    const exchange = await ask(members)
    if (isTooLongForModel(exchange)) continue
    if (isSuccess(exchange) || isSuccess(await ask(usual))) t.expect(exchange, noted(succeeded, name))
  }
  // All together are refused, and none of them alone: combinations are another matter.
  t.expect(all, () => undefined)
}
