import { NativeSelect } from '@mantine/core'
import type { ReactNode } from 'react'
import classes from './filters.module.css'

interface FiltersProps {
  readonly children: ReactNode
  /** Fields with long values: fewer of them stand beside each other, on a phone one. */
  readonly areLong?: boolean
}

/** Fields beside each other, as many as there is room for. */
export function Filters({ children, areLong = false }: FiltersProps) {
  return (
    <div className={classes.row} data-long={areLong}>
      {children}
    </div>
  )
}

interface SelectProps<Value extends string> {
  readonly label: string
  /** What no choice means. */
  readonly all: string
  readonly value: Value | undefined
  /** The name of each value, in their order. */
  readonly options: Readonly<Record<Value, string>> | readonly (readonly [Value, string])[]
  readonly onChange: (value: Value | undefined) => void
}

/** One of many values, or all: the filter of a list. */
export function SelectFilter<Value extends string>(props: SelectProps<Value>) {
  const { label, all, value, onChange } = props
  const options = optionsOf(props)
  return (
    <NativeSelect
      size="md"
      label={label}
      value={value ?? ''}
      data={[
        { value: '', label: all },
        ...options.map(([option, name]) => ({ value: option as string, label: name })),
      ]}
      onChange={event => {
        const written = event.currentTarget.value
        onChange(options.find(([option]) => option === written)?.[0])
      }}
    />
  )
}

function optionsOf<Value extends string>({
  options,
}: SelectProps<Value>): readonly (readonly [Value, string])[] {
  return Array.isArray(options) ? options : (Object.entries(options) as [Value, string][])
}
