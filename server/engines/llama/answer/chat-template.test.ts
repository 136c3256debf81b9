// Calls of the history are written as the system message asks for them, or as its template writes them.
import { expect, it } from 'vitest'
import { chatTemplates } from './chat-template.ts'

const chat = "{% for m in messages %}<|{{ m['role'] }}|>{{ m['content'] }}{% endfor %}"
const knowing = `{% if tools %}{{ tools | tojson }}{% endif %}{% for m in messages %}{% if m.role == 'tool' %}<|user|>
<answer>{{ m.content }}</answer>{% else %}<|{{ m.role }}|>{% if m.content %}{{ m.content }}{% endif %}{% if m.tool_calls %}{% for c in m.tool_calls %}
<call>{"name": "{{ c.function.name }}", "arguments": {{ c.function.arguments | tojson }}}</call>{% endfor %}{% endif %}{% endif %}<|end|>
{% endfor %}{% if add_generation_prompt %}<|assistant|>{% endif %}`

it.each([
  [
    'which the template does not know',
    chat,
    '<|user|>Hi<|assistant|><tool_call>\n{"name": "get", "arguments": {"day": 1}}\n</tool_call>\n<tool_response>\n"rain"\n</tool_response>\n',
  ],
  ['which the template writes itself', knowing, '<call>{"name": "get", "arguments": {"day": 1}}</call>'],
])('writes calls %s', { tags: 'llama' }, async (_, source, written) => {
  const { JinjaTemplateChatWrapper } = await import('node-llama-cpp')
  for (const template of chatTemplates(JinjaTemplateChatWrapper, source)) {
    const { contextText } = template.generateContextState({
      chatHistory: [
        { type: 'user', text: 'Hi' },
        {
          type: 'model',
          response: [{ type: 'functionCall', name: 'get', params: { day: 1 }, result: 'rain' }],
        },
        { type: 'user', text: 'So?' },
        { type: 'model', response: [] },
      ],
    })
    expect(contextText.toString()).toContain(written)
  }
})
