// The chat template of a model, with tool calls in its history: in the syntax of the template if it supports tools, and
// otherwise in the syntax that the system message explains.
import type { JinjaTemplateChatWrapper, JinjaTemplateChatWrapperOptions } from 'node-llama-cpp'
import { CALL_SYNTAX, RESULT_SYNTAX } from '../../constrained/tool-calls.ts'

export type Template = new (options: JinjaTemplateChatWrapperOptions) => JinjaTemplateChatWrapper

/** The template unchanged, and with adjacent messages of one role joined, which some templates require. */
export function chatTemplates(Template: Template, source: string): JinjaTemplateChatWrapper[] {
  return [false, true].map((joined) => {
    // `reasoning: null` leaves the default to the template.
    const options = { template: source, reasoning: null, joinAdjacentMessagesOfTheSameType: joined }
    const own = new Template(options)
    if (own.usingJinjaFunctionCallTemplate) return own
    return new Template({
      ...options,
      functionCallMessageTemplate: { call: CALL_SYNTAX, result: RESULT_SYNTAX },
    })
  })
}
