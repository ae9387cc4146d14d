import { Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'

type Values<Name extends string> = Readonly<Record<Name, string>>

interface TextField<Name extends string> {
  readonly label: string
  readonly hint?: string
  readonly type?: 'tel' | 'email' | 'url'
  readonly inputMode?: 'numeric'
  /** What is wrong with a text, false if nothing is; `values` has the other fields too. */
  readonly wrong?: (text: string, values: Values<Name>) => string | false
}

interface TextFields<Name extends string> {
  /** What is written, without spaces around it. */
  readonly values: Values<Name>
  /** Whether every field is right; the fields then say what is wrong. */
  readonly check: () => boolean
  readonly inputs: ReactNode
}

/** Fields of one line each, checked when the act is tried: `const { values, check, inputs } = useTextFields({ … })`. */
export function useTextFields<Name extends string>(
  fields: Readonly<Record<Name, TextField<Name>>>,
  first: Partial<Record<Name, string>> = {},
): TextFields<Name> {
  const names = Object.keys(fields) as Name[]
  const [written, write] = useState<Partial<Record<Name, string>>>(first)
  const [isChecked, setChecked] = useState(false)
  const values = Object.fromEntries(names.map(name => [name, (written[name] ?? '').trim()])) as Values<Name>
  const wrongOf = (name: Name) => fields[name].wrong?.(values[name], values) ?? false
  return {
    values,
    check() {
      setChecked(true)
      return names.every(name => wrongOf(name) === false)
    },
    inputs: (
      <Stack gap="sm">
        {names.map(name => {
          const { label, hint, type = 'text', inputMode } = fields[name]
          return (
            <TextInput
              key={name}
              name={name}
              label={label}
              description={hint}
              type={type}
              inputMode={inputMode}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={written[name] ?? ''}
              onChange={event => write({ ...written, [name]: event.currentTarget.value })}
              error={isChecked && wrongOf(name)}
            />
          )
        })}
      </Stack>
    ),
  }
}
