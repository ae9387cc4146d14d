import {
  type Static,
  type TEnum,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnsafe,
  Type,
} from 'typebox'

/** The documentation of an object: its name in OpenAPI, a description, and complete examples. */
export interface ObjectDocumentation {
  readonly title?: string
  readonly description?: string
  readonly examples?: readonly unknown[]
}

/** The same schema with the description of a field. */
export function describe<Schema extends TSchema>(schema: Schema, description: string): Schema {
  return Type.With(schema, { description }) as Schema
}

/** One of a closed list of strings. */
export function oneOf<const Values extends string[]>(
  values: readonly [...Values],
  description: string,
  options: { readonly default?: Values[number] } = {},
): TEnum<Values> {
  return Type.Enum(values, { type: 'string', description, examples: [values[0]], ...options })
}

/** The schema or JSON null, written as `type: [T, 'null']`, which keeps OpenAPI and error messages short. */
export function nullable<Schema extends TSchema>(schema: Schema): TUnsafe<Static<Schema> | null> {
  const plain: { type?: unknown; enum?: readonly unknown[] } = { ...schema }
  if (typeof plain.type !== 'string') throw new TypeError('nullable takes a schema of one JSON type')
  const values = plain.enum === undefined ? {} : { enum: [...plain.enum, null] }
  return Type.Unsafe<Static<Schema> | null>({ ...plain, ...values, type: [plain.type, 'null'] })
}

/** An object in a response. Clients must accept fields that are added later, so it is open. */
export function response<Properties extends TProperties>(
  properties: Properties,
  documentation: ObjectDocumentation = {},
): TObject<Properties> {
  return Type.Object(properties, { ...documentation })
}

/** An object in a request: an unknown field is an error (contract section 1). */
export function request<Properties extends TProperties>(
  properties: Properties,
  documentation: ObjectDocumentation = {},
): TObject<Properties> {
  return Type.Object(properties, { ...documentation, additionalProperties: false })
}

/** The first example of a schema, for the examples of what contains it. */
export function exampleOf(schema: TSchema): unknown {
  const { examples = [] }: { readonly examples?: readonly unknown[] } = { ...schema }
  return examples[0]
}
