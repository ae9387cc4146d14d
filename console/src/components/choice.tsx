import { SegmentedControl } from '@mantine/core'
import classes from './choice.module.css'

interface ChoiceProps<Value extends string> {
  /** What is chosen, for screen readers. */
  readonly label: string
  readonly value: Value
  /** The name of each value, in their order. */
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: Value) => void
}

/** One of a few values, all of them visible: the filter of a list. */
export function Choice<Value extends string>({ label, value, options, onChange }: ChoiceProps<Value>) {
  const data = (Object.keys(options) as Value[]).map(name => ({ value: name, label: options[name] }))
  return (
    <div className={classes.choice}>
      <SegmentedControl aria-label={label} data={data} value={value} onChange={onChange} />
    </div>
  )
}
