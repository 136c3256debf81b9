// A recorded answer that cannot be read, that is a failure, or that has a wrong member or a key fails its row.
import { editAnswer, isStreamed, withAnswer } from './live-archive.fixture.ts'
import { isSuccess } from './edit-archive.fixture.ts'
import { type ArchiveFault, faultOf, testFaults } from './expect-red.fixture.ts'

/** A text that cannot be read as an answer, in place of each answer. */
const unreadable = Object.entries({
  'a page': '<!doctype html><title>Just a moment...</title>',
  nothing: '',
  'an empty object': '{}',
  'cut JSON': '{"id":"chatcmpl-1","object":"chat.comp',
}).flatMap(([what, text]): ArchiveFault[] => [
  faultOf(
    `${what} for a completion`,
    'CHAT-1',
    'chat.every-content',
    (entry) => isSuccess(entry) && !isStreamed(entry),
    (entry) => withAnswer(entry, text),
  ),
  faultOf(
    `${what} for a stream`,
    'STREAM-1',
    'stream.every-type',
    (entry) => isSuccess(entry) && isStreamed(entry),
    (entry) => withAnswer(entry, text),
    // JSON that calls itself an event stream.
    ['WIRE-5'],
  ),
])

testFaults([
  ...unreadable,
  {
    name: 'a message that quotes the key of the caller',
    requirement: 'ERR-4',
    check: 'errors.every-error-without-key',
    change: (entry, key) =>
      entry.response.status < 400
        ? undefined
        : withAnswer(
            entry,
            String(entry.response.content.text).replace('"message":"', `"message":"The key ${key} asks. `),
          ),
  },
  faultOf(
    '`created` in milliseconds',
    'WIRE-1',
    'wire.every-completion',
    (entry) => isSuccess(entry) && !isStreamed(entry),
    (entry) => editAnswer(entry, (body) => ({ ...body, created: Number(body['created']) * 1000 })),
  ),
  faultOf(
    'a page of a proxy with 502',
    'CHAT-9',
    'chat.every-recorded-failure',
    isSuccess,
    (entry) => withAnswer(entry, '<h1>502 Bad Gateway</h1>', 502),
    ['ERR-1', 'ERR-7'],
  ),
  faultOf(
    'a page in place of the models',
    'MODEL-1',
    'models.every-list',
    (entry) => entry.request.method === 'GET',
    (entry) => withAnswer(entry, '<!doctype html>'),
    ['WIRE-15'],
  ),
  faultOf(
    'a model without an owner',
    'WIRE-15',
    'models.every-record-in-list',
    (entry) => entry.request.method === 'GET',
    (entry) => withAnswer(entry, String(entry.response.content.text).replace('"owned_by":', '"owner":')),
  ),
])
