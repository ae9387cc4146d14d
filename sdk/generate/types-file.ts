import {
  EVENTS,
  IdempotencyDetails,
  InsufficientBalanceDetails,
  PolicyRefusal,
  pageQuery,
  WebhookBody,
} from '@batua/contract'
import type { Operation } from './operations.ts'
import { plain, type TypeWriter, typeWriter } from './schema-types.ts'
import { wordDeclarations } from './words.ts'

const PAGE_FIELDS = Object.keys(pageQuery)
const DETAILS = [InsufficientBalanceDetails, IdempotencyDetails, PolicyRefusal].map(plain)

/** The text of `api/types.ts`: inputs and outputs of every route, and webhooks. */
export function typesFile(operations: readonly Operation[]): string {
  const writer = typeWriter()
  const inputs = operations.flatMap(operation => inputOf(operation, writer))
  for (const schema of [
    ...operations.flatMap(({ response, waiting }) => [response, waiting ?? []].flat()),
    ...DETAILS,
  ])
    writer.typeOf(schema)
  const events = webhookEvents(writer)
  const all = [
    ...wordDeclarations(),
    NO_INPUT,
    pageInput(writer),
    ...inputs,
    ...writer.declarations(),
    ...events,
  ]
  assertNamesDiffer(all)
  return all.join('\n\n')
}

/** The name of a route's input type. */
export function inputName({ name, input }: Operation): string {
  return input === null ? 'NoInput' : `${name.charAt(0).toUpperCase()}${name.slice(1)}Input`
}

const NO_INPUT = '/** For routes that take nothing. */\nexport type NoInput = Record<string, never>'

function pageInput(writer: TypeWriter): string {
  const fields = writer.fieldsOf({ properties: pageQuery })
  return `/** Which page of a list; \`items\` and \`pages\` go through all of them. */
export interface PageInput {
${fields}
}`
}

function inputOf(operation: Operation, writer: TypeWriter): string[] {
  if (operation.input === null) return []
  const { properties = {}, required = [] } = operation.input
  const isList = PAGE_FIELDS.every(name => name in properties)
  const own = Object.entries(properties).filter(([name]) => !isList || !PAGE_FIELDS.includes(name))
  const name = inputName(operation)
  if (own.length === 0) return [`export type ${name} = PageInput`]
  const fields = writer.fieldsOf({ properties: Object.fromEntries(own), required })
  return [`export interface ${name}${isList ? ' extends PageInput' : ''} {\n${fields}\n}`]
}

/** Webhooks differ by their event, which determines the type of their data. */
function webhookEvents(writer: TypeWriter): string[] {
  const { properties = {}, required = [] } = plain(WebhookBody)
  const { event: _event, type: _type, data: _data, ...same } = properties
  const data = Object.entries(EVENTS).map(
    ([name, schema]) => `${JSON.stringify(name)}: ${writer.typeOf(plain(schema))}`,
  )
  return [
    `/** The data of every event, by its name. */
export interface WebhookData {
${data.join('\n')}
}`,
    `/** What a webhook of one event carries. */
export interface WebhookEventOf<Name extends EventName> {
/** The name of the event. */
event: Name
/** The same as \`event\`. */
type: Name
${writer.fieldsOf({ properties: same, required })}
data: WebhookData[Name]
}`,
    `/** The body of a webhook; \`event\` names the type of \`data\`. */
export type WebhookEvent = { [Name in EventName]: WebhookEventOf<Name> }[EventName]`,
  ]
}

function assertNamesDiffer(declarations: readonly string[]): void {
  const names = declarations.map(text => /export (?:type|interface) (\w+)/.exec(text)?.[1])
  const twice = names.filter((name, index) => names.indexOf(name) !== index)
  if (twice.length > 0) throw new Error(`declared twice: ${twice.join(', ')}`)
}
