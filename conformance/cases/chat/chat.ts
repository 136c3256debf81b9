// Chat: a valid request is answered, and a request that breaks one thing is refused (CHAT-1, 2, 4 to 7). Malformed
// JSON, text and arbitrary bodies have their own files.
import { type Case, type Observer, casesOf, defineCase, defineObserver } from '../../runner/case.ts'
import { choices } from '../../../harness/verify/verify-completion.ts'
import { jsonBody, status, statusOk } from '../../../harness/verify/verify.ts'
import { hostileBodyCases } from './hostile-bodies.ts'
import { malformedJsonCases } from './malformed-json.ts'
import { refusalCases } from './refusals.ts'
import { PROMPT, isSuccess, messagesOf, post, shortBody, succeeded } from '../requests/chat.ts'
import { textCases } from './text.ts'
import { CHAT_PATH } from '../requests/endpoints.ts'

const answered: readonly Case[] = [
  ...casesOf('CHAT-1', {
    'chat.valid-request': {
      title: 'a valid request',
      run: async (t) => t.expect(await post(t, await shortBody(t)), statusOk(), jsonBody()),
    },
    'chat.choices': {
      title: 'the choices of an answer and their content',
      run: async (t) => t.expect(await post(t, await shortBody(t)), statusOk(), choices()),
    },
  }),
  ...casesOf('CHAT-2', {
    'chat.user-message': {
      title: 'a message of the user',
      run: async (t) => t.expect(await post(t, await shortBody(t)), succeeded),
    },
    'chat.system-message': {
      title: 'a system message before that of the user',
      async run(t) {
        const system = { role: 'system', content: 'Answer in one word.' }
        t.expect(
          await post(t, { ...(await shortBody(t)), messages: [system, ...messagesOf(PROMPT)] }),
          succeeded,
        )
      },
    },
  }),
  ...[
    { id: 'chat.success-is-200', title: 'the status of a success', members: {}, row: 'CHAT-1' },
    {
      id: 'chat.streamed-success-is-200',
      title: 'the status of a streamed success',
      members: { stream: true },
      row: 'STREAM-1',
    },
  ].map(({ id, title, members, row }) =>
    defineCase({
      id,
      requirement: 'CHAT-7',
      title,
      async run(t) {
        const exchange = await post(t, { ...(await shortBody(t)), ...members })
        if (!isSuccess(exchange))
          t.inconclusive(`a valid request was answered with ${exchange.response.status}, which ${row} judges`)
        t.expect(exchange, statusOk())
      },
    }),
  ),
]

export const cases: readonly Case[] = [
  ...answered,
  ...malformedJsonCases,
  ...refusalCases,
  ...textCases,
  ...hostileBodyCases,
]

export const observers: readonly Observer[] = [
  defineObserver({
    id: 'chat.every-success-is-200',
    requirement: 'CHAT-7',
    title: 'the status of every success that was seen',
    applies: (exchange) =>
      exchange.request.method === 'POST' && exchange.request.path === CHAT_PATH && isSuccess(exchange),
    verifiers: [status(200)],
  }),
]
