import type { AgentExistence } from '@batua/sdk'
import { Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { Confirm } from '../../components/confirm.tsx'
import { Status } from '../../components/status.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import { PayeeField } from './payee-field.tsx'
import { payeesTexts } from './texts.ts'

interface FindPayeeProps {
  /** The agent that pays. */
  readonly agentId: string
  readonly title: string
  readonly hint: string
  /** The act in words, with the name of the agent that was found. */
  readonly act: (name: string) => string
  /** Why an agent that exists cannot be chosen; null: it can. */
  readonly refuse: (agentId: string) => string | null
  readonly acting: boolean
  readonly error: Error | null
  readonly onPayee: (agentId: string) => void
  readonly onClose: () => void
}

/** Finds an agent by its handle or id, shows who it is, and then acts on it. */
export function FindPayee({
  agentId,
  title,
  hint,
  act,
  refuse,
  acting,
  error,
  onPayee,
  onClose,
}: FindPayeeProps) {
  const t = useTexts(payeesTexts)
  const [written, write] = useState('')
  const [wanted, want] = useState('')
  const [isChecked, check] = useState(false)
  const text = written.trim()
  const look = useRead('getAgentExistence', { agent_id: wanted }, { enabled: wanted !== '' })
  const found = text !== '' && text === wanted ? look.data : undefined
  const refused = found === undefined ? null : (refusalOf(found, refuse) ?? (found.exists ? null : t.unknown))
  const payee = refused === null && found?.exists === true ? found : null
  const submit = () => {
    check(true)
    if (payee !== null && payee.agent_id !== null) onPayee(payee.agent_id)
    else want(text)
  }
  return (
    <Confirm
      opened
      title={title}
      act={payee === null ? t.find : act(payee.name ?? '')}
      acting={acting || look.isFetching}
      error={error ?? look.error}
      onAct={submit}
      onClose={onClose}
    >
      <Text>{hint}</Text>
      <form
        onSubmit={event => {
          event.preventDefault()
          submit()
        }}
      >
        <PayeeField
          agentId={agentId}
          written={written}
          onWrite={write}
          error={(isChecked && text === '' && t.missing) || refused}
        />
      </form>
      <div role="status">{payee !== null && <Found payee={payee} />}</div>
    </Confirm>
  )
}

function refusalOf({ agent_id }: AgentExistence, refuse: FindPayeeProps['refuse']): string | null {
  return agent_id === null ? null : refuse(agent_id)
}

function Found({ payee: { name, handle, status } }: { readonly payee: AgentExistence }): ReactNode {
  return (
    <span className={classes.lead}>
      <b>{name}</b> @{handle} {status !== null && <Status is={status} />}
    </span>
  )
}
