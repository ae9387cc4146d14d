/**
 * What the scripted model does next. It sees what a model sees: its task, the names of the tools, and the text of each
 * result. It pays what the task says, and if that is refused, what the refusal says would pass.
 */
export function nextStep(prompt, toolNames, results) {
  const use = (tool, input) => ({ tool: toolNames.find(name => name.endsWith(tool)), input })
  const [, to, amount] = /@([\w-]+) (\d+)/.exec(prompt)
  const pay = (amount, idempotency_key) => use('pay', { to, amount, idempotency_key })
  if (results.length === 0) return use('get_wallet', {})
  const last = fieldsIn(results.at(-1))
  if (results.length === 1) return pay(Number(amount), `all for ${last.handle}`)
  if (last.next_tool === 'check_payment') return use('check_payment', { to, amount: last.max_amount_now })
  if (last.decision === 'approved') return pay(last.amount, `less for ${to}`)
  return { text: JSON.stringify(last) }
}

/** The fields of a result, in whatever a framework writes around them. */
function fieldsIn(text) {
  const found = text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)
  try {
    const fields = JSON.parse(found)
    return fields.structuredContent ?? fields
  } catch {
    throw new Error(`no JSON in a tool's result: ${text}`)
  }
}
