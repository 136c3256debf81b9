// A message part that is not text is read or refused, never ignored (WIRE-12).
import { type Case, check } from '../../runner/case.ts'
import { json } from '../../../harness/http/exchange.ts'
import { type Verifier, status } from '../../../harness/verify/verify.ts'
import { at } from '../../../harness/verify/json-value.ts'
import { PROMPT, messagesOf, named } from '../requests/chat.ts'

/** Media that cannot be read: a target that reads media refuses them, one that ignores media answers. */
const unreadable = Buffer.from('neither an image nor a sound nor a file').toString('base64')

const mediaParts: Readonly<Record<string, readonly [title: string, type: string, media: object]>> = {
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

export const mediaCases: readonly Case[] = Object.entries(mediaParts).map(([slug, [title, type, media]]) =>
  check(`wire.${slug}-not-ignored`, 'WIRE-12', `${title} that cannot be read is refused`).run(async (t) => {
    const content = [
      { type: 'text', text: PROMPT },
      { type, [type]: media },
    ]
    const exchange = await t.chat({ messages: messagesOf(content) })
    t.expect(exchange, status(400), namedPart(type))
  }),
)
