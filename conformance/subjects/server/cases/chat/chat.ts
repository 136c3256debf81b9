// Chat: a valid request is answered, and a request that breaks one thing is refused (CHAT-1, 2, 4 to 7). Malformed
// JSON, text and arbitrary bodies have their own files.
import type { RequirementId } from '../../../../../spec/catalogue/requirements.ts'
import { type Case, type Variants, check, checkEach } from '../../case.ts'
import { type Observer, observe } from '../../../../contract/observer.ts'
import { choices } from '../../../../../harness/verify/verify-completion.ts'
import { jsonBody, status, statusOk } from '../../../../../harness/verify/verify.ts'
import { answeredObserver, hostileBodyCases } from './hostile-bodies.ts'
import { endlessCases, endlessObserver } from './endless-answers.ts'
import { framingCases } from './framing.ts'
import { malformedJsonCases, refusalCases } from './chat-refusals.ts'
import { methodCases } from './methods.ts'
import { PROMPT, isSuccess, messagesOf, post, shortBody, succeeded } from '../requests/chat-calls.ts'
import { textCases } from './chat-text.ts'
import { splitCases } from './split-characters.ts'
import { CHAT_PATH } from '../requests/endpoints.ts'

/** Plain and streamed requests, with the row that judges their success. */
const successes: Variants<[members: object, row: RequirementId]> = {
  '': ['', {}, 'CHAT-1'],
  'streamed-': ['streamed ', { stream: true }, 'STREAM-1'],
}

const answered: readonly Case[] = [
  check('chat.valid-request', 'CHAT-1', 'a valid request').run(async (t) =>
    t.expect(await post(t, await shortBody(t)), statusOk, jsonBody()),
  ),
  check('chat.choices', 'CHAT-1', 'the choices of an answer and their content').run(async (t) =>
    t.expect(await post(t, await shortBody(t)), statusOk, choices),
  ),
  check('chat.user-message', 'CHAT-2', 'a message of the user').run(async (t) =>
    t.expect(await post(t, await shortBody(t)), succeeded),
  ),
  check('chat.system-message', 'CHAT-2', 'a system message before that of the user').run(async (t) => {
    const system = { role: 'system', content: 'Answer in one word.' }
    t.expect(await post(t, { ...(await shortBody(t)), messages: [system, ...messagesOf(PROMPT)] }), succeeded)
  }),
  check('chat.bare-tool', 'CHAT-1', 'a function of which no more than the name is given').run(async (t) => {
    await t.target.requireField('tools')
    const tools = [{ type: 'function', function: { name: 'look_up' } }]
    t.expect(await post(t, { ...(await shortBody(t)), tools }), succeeded)
  }),
  ...checkEach('chat.*success-is-200', 'CHAT-7', 'the status of a *success', successes).run(
    async (t, members, row) => {
      const exchange = await post(t, { ...(await shortBody(t)), ...members })
      if (!isSuccess(exchange))
        t.inconclusive(`a valid request was answered with ${exchange.response.status}, which ${row} judges`)
      t.expect(exchange, statusOk)
    },
  ),
]

export const cases: readonly Case[] = [
  ...answered,
  ...malformedJsonCases,
  ...refusalCases,
  ...textCases,
  ...splitCases,
  ...hostileBodyCases,
  ...framingCases,
  ...methodCases,
  ...endlessCases,
]

export const observers: readonly Observer[] = [
  answeredObserver,
  endlessObserver,
  observe('chat.every-success-is-200', 'CHAT-7', 'the status of every success that was seen')
    .with({ ofHead: true })
    .on(
      (exchange) =>
        exchange.request.method === 'POST' && exchange.request.path === CHAT_PATH && isSuccess(exchange),
    )
    .verify(status(200)),
]
