import { SegmentedControl, Text } from '@mantine/core'
import classes from './choice.module.css'

interface ChoiceProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string
  /** Among fields its name stands above it, as theirs does. */
  readonly isField?: boolean
  readonly value: Value
  /** The name of each value, in their order. */
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: Value) => void
}

/** One of a few values, all of them visible: the filter of a list. */
export function Choice<Value extends string>(props: ChoiceProps<Value>) {
  const { label, isField = false, value, options, onChange } = props
  const data = (Object.keys(options) as Value[]).map(name => ({ value: name, label: options[name] }))
  return (
    <div className={classes.choice} data-field={isField}>
      {isField && (
        <Text fw={550} mb={4} aria-hidden>
          {label}
        </Text>
      )}
      <SegmentedControl aria-label={label} data={data} value={value} onChange={onChange} />
    </div>
  )
}
