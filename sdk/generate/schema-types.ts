import { wordType } from './words.ts'

/** A schema of the contract: plain JSON Schema with few keywords. */
export interface Schema {
  readonly type?: string | readonly string[]
  readonly title?: string
  readonly description?: string
  readonly properties?: Readonly<Record<string, Schema>>
  readonly required?: readonly string[]
  readonly patternProperties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly enum?: readonly unknown[]
  readonly const?: unknown
}

/** A schema of the contract without TypeBox's own properties. */
export function plain(schema: unknown): Schema {
  return schema === undefined ? {} : (JSON.parse(JSON.stringify(schema)) as Schema)
}

/** Writes schemas as types. A schema with a title becomes a type of that name, declared once. */
export interface TypeWriter {
  /** The type of a value, as TypeScript. */
  typeOf(schema: Schema): string
  /** The fields of a request object, each with its comment. */
  fieldsOf(schema: Schema): string
  /** All named types met so far. */
  declarations(): string[]
}

export function typeWriter(): TypeWriter {
  const named = new Map<string, { readonly comment: string; readonly fields: string }>()

  function typeOf(schema: Schema): string {
    const kinds = [schema.type ?? []].flat()
    const types = kinds.filter(kind => kind !== 'null').map(kind => kindOf(kind, schema))
    if (kinds.includes('null')) types.push('null')
    return types.length === 0 ? 'unknown' : types.join(' | ')
  }

  function kindOf(kind: string, schema: Schema): string {
    if (schema.const !== undefined) return JSON.stringify(schema.const)
    if (schema.enum !== undefined) return wordType(schema.enum.filter(word => word !== null))
    switch (kind) {
      case 'integer':
      case 'number':
        return 'number'
      case 'boolean':
      case 'string':
        return kind
      case 'array':
        return arrayOf(typeOf(schema.items ?? {}))
      case 'object':
        return schema.properties === undefined ? recordOf(schema) : objectOf(schema)
      default:
        throw new Error(`a schema of type ${kind} has no type in TypeScript here`)
    }
  }

  function objectOf(schema: Schema): string {
    const fields = fieldsOf(schema, responseComment)
    const { title: name, description } = schema
    if (name === undefined) return `{\n${fields}\n}`
    const known = named.get(name)
    if (known === undefined) named.set(name, { comment: comment(description), fields })
    // Only descriptions may differ between its occurrences.
    else if (bare(known.fields) !== bare(fields)) throw new Error(`two schemas are titled ${name}`)
    return name
  }

  function recordOf({ patternProperties = {} }: Schema): string {
    const values = Object.values(patternProperties).map(typeOf)
    return `Record<string, ${values.length === 0 ? 'unknown' : values.join(' | ')}>`
  }

  function fieldsOf({ properties = {}, required = [] }: Schema, commentOf = comment): string {
    const fields = Object.entries(properties).map(([name, field]) => {
      const mark = required.includes(name) ? '' : '?'
      return `${commentOf(field.description)}${name}${mark}: ${typeOf(field)}`
    })
    return fields.join('\n')
  }

  function declarations(): string[] {
    return [...named].map(
      ([name, { comment, fields }]) => `${comment}export interface ${name} {\n${fields}\n}`,
    )
  }

  return { typeOf, fieldsOf, declarations }
}

function arrayOf(type: string): string {
  return /^\w+$/.test(type) ? `${type}[]` : `(${type})[]`
}

function bare(fields: string): string {
  return fields.replaceAll(/\/\*\*.*\*\/\n/g, '')
}

/** The default description of an id says nothing. */
const SAYS_NOTHING = /^The [a-z ]+’s id\.$/

function sentencesOf(description: string): string[] {
  return description.split(/(?<=\.) (?=[A-Z`])/)
}

/** A description as a comment of one sentence. */
export function comment(description: string | undefined): string {
  if (description === undefined || description === '' || SAYS_NOTHING.test(description)) return ''
  const [sentence = ''] = sentencesOf(description)
  if (sentence.includes('*/')) throw new Error(`not allowed in a comment: ${sentence}`)
  return `/** ${sentence} */\n`
}

/** A unit, a format, or a case that the type does not express. */
const SAYS_MORE = /\b(?:INR|base64|null|true|only|once|until|while)\b/

/** Text that is not understood without what precedes it: `…; null when it is.` */
const LEANS_ON_THE_REST = /\b(?:is|was|does|not)\.$/

/**
 * The name and type of a response field say what it is, and the reference describes it: its comment has only the part
 * of the description after a semicolon.
 */
function responseComment(description = ''): string {
  const sentence = sentencesOf(description).find(each => SAYS_MORE.test(each)) ?? ''
  const [what = '', ...more] = sentence.split('; ')
  const isWhole = SAYS_MORE.test(what) || LEANS_ON_THE_REST.test(sentence)
  return comment(isWhole ? sentence : more.join('; '))
}
