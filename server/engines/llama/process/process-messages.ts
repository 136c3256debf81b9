// The messages between the llama engine and its child process. Both ends have the same version, so types are trusted.
import type { TokenLogprob } from '../../../../spec/schemas/response.ts'
import type { PromptMessage } from '../answer/prompt-messages.ts'

/** A model as it is configured. */
export interface LlamaModelSource {
  readonly id: string
  /** The path of a GGUF file, or an address as `hf:user/repository:quantization` that is downloaded once. */
  readonly source: string
}

/** The options for the child to load its models. */
export interface LoadOptions {
  readonly models: readonly LlamaModelSource[]
  /** The folder of downloaded models. */
  readonly modelsDirectory: string
  readonly threads: number
  /** Whether a small model gets one thread instead. Default: false. */
  readonly threadsMayShrink?: boolean
  /** The number of concurrent answers of each model. */
  readonly slots: number
  /**
   * The maximum tokens of a prompt and its answer together, for each slot, at most the context of the model's training.
   * Null: as many as `contextBytes` and half of the free memory allow.
   */
  readonly contextTokens: number | null
  /** Maximum memory of the context for all slots, in bytes. Default: unlimited. */
  readonly contextBytes?: number | null
  /** Default: false. */
  readonly gpu?: false | 'auto'
  /** Whether a model is loaded when it is first used, instead of at the start. Default: false. */
  readonly onUse?: boolean
  /** The idle time after which a model is unloaded, in milliseconds; null, the default, for never. */
  readonly idleMs?: number | null
}

export interface LoadOrder extends Required<LoadOptions> {
  readonly type: 'load'
  /** Use the prebuilt library even if a compiled one exists, because the compiled one does not run on this processor. */
  readonly prebuilt: boolean
}

/** How a loaded model runs. */
export interface ModelFacts {
  readonly id: string
  /** `CPU`, or the GPU's interface. */
  readonly backend: string
  /** Whether the library was compiled on this machine, for its very processor. */
  readonly compiledHere: boolean
  readonly threads: number
  /** Whether it has one thread because it is small. */
  readonly small: boolean
  readonly slots: number
  readonly contextTokens: number
  /** Whether the context is smaller than requested, because memory is short. */
  readonly contextShrunk: boolean
  readonly trainedContextTokens: number
  /** The length of the longest token, in bytes. */
  readonly longestTokenBytes: number
}

/** One choice to generate. `run` names it in both directions. */
export interface RunOrder {
  readonly type: 'run'
  readonly run: number
  readonly model: string
  readonly messages: readonly PromptMessage[]
  readonly sampling: Sampling
  /** The most tokens to generate; null for as many as the context has room for. */
  readonly maxTokens: number | null
  readonly stops: readonly string[]
  /** How many of the likeliest tokens are returned with each token's own log-probability; null for neither. */
  readonly topLogprobs: number | null
  /** JSON of the `GrammarSpec` of the answer, because a message would round its numbers; null for any text. */
  readonly grammar: string | null
}

/** How the next token is drawn: top_p cuts the model's own distribution, which temperature then sharpens or flattens. */
export interface Sampling {
  /** 0 takes the most probable token. */
  readonly temperature: number
  readonly topP: number
  /** An integer from 0 to 2³² − 2. */
  readonly seed: number
  /** Values added to the logits of tokens, by id; −100 removes a token, 100 leaves no other. */
  readonly bias: readonly (readonly [token: number, bias: number])[]
  readonly frequencyPenalty: number
  readonly presencePenalty: number
}

export type ToChild =
  | LoadOrder
  | RunOrder
  /** Cancels a run, which still ends with one `end`, after the batch in flight. */
  | { readonly type: 'cancel'; readonly run: number }
  | { readonly type: 'close' }

export type FromChild =
  | {
      readonly type: 'downloading'
      readonly model: string
      readonly downloadedBytes: number
      readonly totalBytes: number
    }
  /** The child accepts runs, and has loaded the models that are loaded at the start. */
  | { readonly type: 'ready' }
  | { readonly type: 'loaded'; readonly model: ModelFacts }
  | { readonly type: 'unloaded'; readonly model: string }
  /** A batch of some run was evaluated since the last such message. At most once a second. */
  | { readonly type: 'working' }
  /** The models cannot be loaded; `message` is one line for the operator. */
  | { readonly type: 'failed'; readonly message: string }
  | { readonly type: 'log'; readonly level: string; readonly message: string }
  /** The events of all runs since the last such message, in order. */
  | { readonly type: 'events'; readonly events: readonly RunEvent[] }

/** The first line of an error, because a log and an operator get one line. */
export function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n', 1)[0] ?? ''
}

/** How a run ended: its last event. */
export type RunEnd = Exclude<RunEvent, { readonly type: 'prompt' | 'text' | 'call' }>

/** Whole characters of a run's text; with `logprobs`, whole tokens and exactly their entries. */
export interface RunText {
  readonly text: string
  readonly logprobs?: readonly TokenLogprob[]
}

/** A part of the arguments of call `call`, from 0; `name` with its first part. */
export interface RunCall {
  readonly call: number
  readonly name?: string
  readonly arguments: string
}

/** The events of a run: any number of `prompt`, `text` and `call`, then exactly one of the others. */
export type RunEvent =
  /** The number of tokens of the prompt that are evaluated, or are in the next batch. */
  | { readonly run: number; readonly type: 'prompt'; readonly tokens: number }
  | ({ readonly run: number; readonly type: 'text' } & RunText)
  | ({ readonly run: number; readonly type: 'call' } & RunCall)
  | {
      readonly run: number
      readonly type: 'end'
      /** `stop`: by itself or at a stop string; `length`: at the limit or the end of the context. */
      readonly reason: 'stop' | 'length' | 'cancelled'
      readonly promptTokens: number
      /** The number of tokens of the prompt that were in the prefix cache of the slot. */
      readonly cachedTokens: number
      /** The number of generated tokens, with those of a stop string and without the end token. */
      readonly completionTokens: number
    }
  /** The prompt leaves no room for an answer. If not `exact`, `promptTokens` is a lower bound. */
  | {
      readonly run: number
      readonly type: 'too-long'
      readonly promptTokens: number
      readonly exact: boolean
      readonly contextTokens: number
    }
  /** `logit_bias` has an id that none of `count` tokens has. */
  | { readonly run: number; readonly type: 'unknown-token'; readonly token: number; readonly count: number }
  /** The model's chat template does not accept these messages. */
  | { readonly run: number; readonly type: 'refused'; readonly reason: string }
  /** A token exceeds the bound of steps to follow the grammar. */
  | { readonly run: number; readonly type: 'too-costly' }
  /** The model, which is loaded on use, could not be loaded. */
  | { readonly run: number; readonly type: 'not-loaded'; readonly message: string }
  | { readonly run: number; readonly type: 'failed'; readonly message: string }
