// npm run bench: `llama` measures inference, anything else what the server costs beside a bare one.
await import(process.argv[2] === 'llama' ? './llama.ts' : './run.ts')
