import type { Agent } from '@batua/sdk'
import { Text, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useAct } from '../../api/use-act.ts'
import { Confirm } from '../../components/confirm.tsx'
import { sayDone } from '../../components/toasts.tsx'
import { useTexts } from '../../language/language.tsx'
import { agentTexts } from '../agent-texts.ts'
import {
  isCount,
  NUMBER_CONTROLS,
  type NumberControl,
  type PolicyChange,
  pendingLimits,
} from '../controls.ts'
import { rupeesIn } from '../rupees.ts'

interface EditLimitsProps {
  readonly agent: Agent
  readonly onClose: () => void
}

type Written = Record<NumberControl, string>

/** Changes limits of an agent. An empty field is no limit of its own; a higher one waits for the cooldown. */
export function EditLimits({ agent, onClose }: EditLimitsProps) {
  const t = useTexts(agentTexts)
  const [written, write] = useState<Written>(() => writtenOf(agent))
  const [wrong, setWrong] = useState<readonly NumberControl[]>([])
  const change = useAct('updateAgent', {
    onDone(changed) {
      onClose()
      sayDone(pendingLimits(changed).length > 0 ? t.someWait : t.isChanged)
    },
  })
  const submit = () => {
    const invalid = NUMBER_CONTROLS.filter(control => valueOf(control, written[control]) === undefined)
    setWrong(invalid)
    if (invalid.length > 0) return
    const changes = changesOf(agent, written)
    if (Object.keys(changes).length === 0) onClose()
    else change.mutate({ agent_id: agent.agent_id, ...changes })
  }
  return (
    <Confirm
      opened
      title={t.changeTitle(agent.name)}
      act={t.save}
      acting={change.isPending}
      error={change.error}
      onAct={submit}
      onClose={onClose}
    >
      <Text c="dimmed">{t.changeHint}</Text>
      {NUMBER_CONTROLS.map(control => (
        <TextInput
          key={control}
          name={control}
          label={t.controls[control]}
          leftSection={isCount(control) ? undefined : <Text c="dimmed">₹</Text>}
          inputMode={isCount(control) ? 'numeric' : 'decimal'}
          placeholder={t.none}
          autoComplete="off"
          value={written[control]}
          onChange={event => write({ ...written, [control]: event.currentTarget.value })}
          error={wrong.includes(control) && (isCount(control) ? t.countWrong : t.amountWrong)}
        />
      ))}
    </Confirm>
  )
}

function writtenOf({ policy }: Agent): Written {
  const texts = NUMBER_CONTROLS.map(control => [
    control,
    policy[control] === null ? '' : String(policy[control]),
  ])
  return Object.fromEntries(texts) as Written
}

/** The value that a field holds; null: empty, undefined: it is none. */
function valueOf(control: NumberControl, text: string): number | null | undefined {
  if (text.trim() === '') return null
  const value = rupeesIn(text)
  if (value === null || (isCount(control) && !Number.isInteger(value))) return undefined
  return value
}

function changesOf({ policy }: Agent, written: Written): PolicyChange {
  const changes: PolicyChange = {}
  for (const control of NUMBER_CONTROLS) {
    const value = valueOf(control, written[control])
    if (value !== undefined && value !== policy[control]) changes[control] = value
  }
  return changes
}
