// The checks of servers that no fault of the kill table shows and no test names: a list that only shrinks.

export const UNCAUGHT: ReadonlySet<string> = new Set(
  `
  auth.quoted-value auth.bearer-alone auth.empty-header auth.lower-case-bearer-code auth.upper-case-bearer-code
  auth.tab-code auth.no-space-code auth.colon-code auth.quoted-value-code auth.bare-key-code
  auth.token-scheme-code auth.api-key-scheme-code auth.key-behind-basic-code auth.bearer-alone-code
  auth.empty-header-code auth.one-header-models auth.query-apikey auth.query-token auth.query-access-token
  auth.x-auth-token auth.proxy-authorization auth.x-authorization auth.query-api-key-beside-a-wrong-key
  auth.query-apikey-beside-a-wrong-key auth.query-key-beside-a-wrong-key auth.query-token-beside-a-wrong-key
  auth.query-access-token-beside-a-wrong-key auth.api-key-beside-a-wrong-key
  auth.x-auth-token-beside-a-wrong-key auth.proxy-authorization-beside-a-wrong-key
  auth.x-authorization-beside-a-wrong-key auth.body-member-beside-a-wrong-key auth.before-unknown-model
  auth.before-unknown-record auth.before-post-models keys.no-page-reads-models keys.no-page-sends-models
  keys.no-page-reads-chat keys.no-page-sends-chat models.restricted-bad-value
  models.restricted-record-not-told-apart models.listed-1 models.listed-4 models.listed-5 chat.user-message
  chat.messages-object chat.content-boolean chat.byte-order-mark chat.prototype-names chat.many-members
  chat.nul-body chat.empty-text chat.any-message
  wire.edge.messages-item-content-item-type.unknown wire.edge.messages-item-tool-calls-item-type.unknown
  wire.edge.audio-voice.type wire.edge.audio-voice-id.type wire.edge.audio-format.type
  wire.edge.audio-format.unknown wire.edge.frequency-penalty.inside wire.edge.function-call-name.type
  wire.edge.functions-item.type wire.edge.functions-item-name.type wire.edge.functions-item-description.type
  wire.edge.functions-item-parameters.type wire.edge.logit-bias-member.inside wire.edge.logit-bias-member.whole
  wire.edge.metadata.too-long wire.edge.moderation-model.type wire.edge.moderation-policy.type
  wire.edge.moderation-policy-input.type wire.edge.moderation-policy-input-mode.type
  wire.edge.moderation-policy-input-mode.unknown wire.edge.moderation-policy-output.type
  wire.edge.moderation-policy-output-mode.type wire.edge.moderation-policy-output-mode.unknown
  wire.edge.prediction-type.type wire.edge.prediction-type.unknown wire.edge.prediction-content.type
  wire.edge.prediction-content-item.type wire.edge.prediction-content-item-type.type
  wire.edge.prediction-content-item-type.unknown wire.edge.prediction-content-item-text.type
  wire.edge.prediction-content-item-prompt-cache-breakpoint.type
  wire.edge.prediction-content-item-prompt-cache-breakpoint-mode.type
  wire.edge.prediction-content-item-prompt-cache-breakpoint-mode.unknown
  wire.edge.prediction-content-item-prompt-cache-breakpoint-ttl.type
  wire.edge.prediction-content-item-prompt-cache-breakpoint-ttl.unknown wire.edge.presence-penalty.inside
  wire.edge.prompt-cache-options-mode.type wire.edge.prompt-cache-options-mode.unknown
  wire.edge.prompt-cache-options-ttl.type wire.edge.prompt-cache-options-ttl.unknown
  wire.edge.response-format-type.unknown wire.edge.response-format-json-schema-name.characters
  wire.edge.temperature.inside wire.edge.top-p.inside wire.edge.web-search-options-search-context-size.type
  wire.edge.web-search-options-search-context-size.unknown wire.edge.web-search-options-user-location.type
  wire.edge.web-search-options-user-location-type.type wire.edge.web-search-options-user-location-type.unknown
  wire.edge.web-search-options-user-location-approximate.type
  wire.edge.web-search-options-user-location-approximate-country.type
  wire.edge.web-search-options-user-location-approximate-region.type
  wire.edge.web-search-options-user-location-approximate-city.type
  wire.edge.web-search-options-user-location-approximate-timezone.type errors.no-key-for-accepted-key
  errors.no-key-for-key-and-bad-json errors.no-inside-for-odd-record errors.no-inside-for-bad-escape
  errors.status-unknown-path errors.status-unknown-path-post errors.status-unknown-path-delete
  errors.status-unknown-path-below limits.retry-after-in-seconds limits.another-key wire.n-1 wire.stop-absent
  wire.message-developer wire.message-function wire.message-refusal wire.message-user-name wire.read-user-part
  wire.null-strict-in-tools wire.null-strict-in-tools-streamed wire.null-moderation wire.null-prediction
  wire.null-prompt-cache-retention wire.null-reasoning-effort wire.null-stream-options wire.null-verbosity
 stream.no-usage-chunk-if-false stream.error-requested tools.names-streamed tools.arguments-text-streamed
  tools.finish-reason-named sdk.bad-request-error sdk.authentication-error sdk.not-found-error
  limits.every-retry-after-in-seconds
`
    .trim()
    .split(/\s+/),
)
