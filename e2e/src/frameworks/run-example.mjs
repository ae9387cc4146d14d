// node run-example.mjs EXAMPLE MODEL PROMPT: runs an example with a scripted model, and prints what the agent said.
const [example, model, prompt] = process.argv.slice(2)
const { runAgent } = await import(`./${example}.mjs`)
const { scriptedModel } = await import(`./${model}-model.mjs`)
process.stdout.write(`${await runAgent(scriptedModel(), prompt)}\n`)
