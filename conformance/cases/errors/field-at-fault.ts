// A 400 says which field is at fault, in `param` or in its message (ERR-8).
import { type Variants, checkEach } from '../../runner/case.ts'
import { json } from '../../../harness/http/exchange.ts'
import type { Verifier } from '../../../harness/verify/verify.ts'
import { at, show } from '../../../harness/verify/json-value.ts'
import type { Members } from '../../target/capabilities.ts'
import { PROMPT, post, validBody } from '../requests/chat.ts'

/**
 * Invalid requests by slug. A refusal must state one of the names of the field at fault: `messages[0].role` may be
 * reported as `role` alone. `undefined` leaves a member out.
 */
const faults: Variants<[names: readonly string[], members: Members]> = {
  'missing-model': ['no model', ['model'], { model: undefined }],
  'missing-messages': ['no messages', ['messages'], { messages: undefined }],
  'messages-of-wrong-type': ['a string for messages', ['messages'], { messages: PROMPT }],
  'missing-role': ['a message without a role', ['role', 'messages'], { messages: [{ content: PROMPT }] }],
  'missing-content': ['a message without content', ['content', 'messages'], { messages: [{ role: 'user' }] }],
  'stream-of-wrong-type': ['a string for stream', ['stream'], { stream: 'maybe' }],
  'temperature-out-of-range': ['a temperature of 99', ['temperature'], { temperature: 99 }],
  'n-out-of-range': ['an n of 0', ['n'], { n: 0 }],
}

/** The field is named: in `param` as one step of a path, or in the message as a word of its own. */
function names(fields: readonly string[]): Verifier {
  return (exchange) => {
    const error = at(json(exchange), 'error')
    const [param, message] = [at(error, 'param'), at(error, 'message')]
    const word = new RegExp(`(?<![A-Za-z0-9_])(?:${fields.join('|')})(?![A-Za-z0-9_])`)
    if ([param, message].some((text) => typeof text === 'string' && word.test(text))) return undefined
    return {
      expected: `${show(fields[0])} in error.param or error.message`,
      actual: `param ${show(param)}, message ${show(message)}`,
    }
  }
}

export const fieldCases = checkEach('errors.field-*', 'ERR-8', 'the field at fault is named: *', faults).run(
  async (t, fields, members) => {
    const exchange = await post(t, { ...validBody(t), ...members })
    const { status } = exchange.response
    if (status !== 400) t.notApplicable(`the request was answered with ${status} and not with a 400`)
    t.expect(exchange, names(fields))
  },
)
