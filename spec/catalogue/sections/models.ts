// Models (MODEL): the list of models, and unknown ones.
import type { Section } from '../section.ts'

export const models = {
  source: 'Model; GET /v1/models',
  subject: 'server',
  rows: {
    'MODEL-1': {
      requires: 'model list',
      rule: 'MUST: `GET /v1/models` with a valid key: 200, JSON, and the valid model ids in `data[].id`, where every client library of the format looks.',
    },
    'MODEL-2':
      'MUST strict: An unknown model in a chat request: 404, type `model_not_found`. The code is a string, its value open.',
    'MODEL-3': 'MUST strict: A model that this key may not use: 404, type `model_not_found`.',
    'MODEL-4':
      'MUST: Each listed id (the first five are tried) is accepted by the chat endpoint for the key that listed it.',
    'MODEL-5':
      'MUST strict: Listed model ids are non-empty strings, and an id with something added to it is an unknown model (404). For an empty id 404 and 400 are both right.',
    'MODEL-6':
      'SHOULD strict: That 404 does not differ from the one for an unknown model: type, code, fields, and the message but for the id. (A difference reveals which models exist.)',
    'MODEL-7':
      'SHOULD strict: Ids are matched exactly: another case, or white space around the id, is an unknown model.',
    'MODEL-8': {
      source: 'wire',
      rule: 'SHOULD strict: Profile `wire`: an unknown model is refused with 404 or 400 and is never answered by another model.',
    },
    'MODEL-9': {
      source: 'wire',
      rule: 'SHOULD: The length of the context, if an entry of the list or a model states it (`context_length`, `context_window`, `max_model_len`, `max_context_length`, `max_input_tokens`, at the entry or one level below), is a positive integer, the same in the list and in the entry, and true: a prompt clearly within it is answered, and a prompt beyond it is refused (WIRE-28). (Not applicable if none is stated. Judged up to the size that the budget of the run allows.)',
    },
  },
} as const satisfies Section
