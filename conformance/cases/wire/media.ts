// A message part that is not text is read or refused, never ignored (WIRE-12).
import { type Variants, checkEach } from '../../runner/case.ts'
import { json } from '../../../harness/http/exchange.ts'
import { type Verifier, status } from '../../../harness/verify/verify.ts'
import { at } from '../../../harness/verify/json-value.ts'
import { PROMPT, messagesOf, named } from '../requests/chat.ts'

/** Media that cannot be read: a target that reads media refuses them, one that ignores media answers. */
const unreadable = Buffer.from('neither an image nor a sound nor a file').toString('base64')

const mediaParts: Variants<[type: string, media: object]> = {
  'image-part': ['an image', 'image_url', { url: `data:image/png;base64,${unreadable}` }],
  'audio-part': ['a sound', 'input_audio', { data: unreadable, format: 'wav' }],
  'file-part': [
    'a file',
    'file',
    { filename: 'a.pdf', file_data: `data:application/pdf;base64,${unreadable}` },
  ],
}

/** The refusal speaks of the part, of its kind, or of the content that holds it. */
function namedPart(type: string): Verifier {
  return (exchange, target) => {
    const message = at(json(exchange), 'error', 'message')
    if (typeof message === 'string' && /image|audio|file|media|modal/i.test(message)) return undefined
    return named([type])(exchange, target)
  }
}

export const mediaCases = checkEach(
  'wire.*-not-ignored',
  'WIRE-12',
  '* that cannot be read is refused',
  mediaParts,
).run(async (t, type, media) => {
  const text = { type: 'text', text: PROMPT }
  const exchange = await t.chat({ messages: messagesOf([text, { type, [type]: media }]) })
  t.expect(exchange, status(400), namedPart(type))
})
