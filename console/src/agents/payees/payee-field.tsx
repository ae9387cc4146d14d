import { Button, Stack, Text, TextInput } from '@mantine/core'
import { useRead } from '../../api/use-read.ts'
import { useTexts } from '../../language/language.tsx'
import classes from '../agent.module.css'
import { payeesTexts } from './texts.ts'

const DAYS = 90
const MOST = 5

interface PayeeFieldProps {
  readonly agentId: string
  /** A handle or an id. */
  readonly written: string
  readonly onWrite: (payee: string) => void
  readonly error: string | false | null
}

/** Whom: by handle or id, or one of those that the agent paid lately. */
export function PayeeField({ agentId, written, onWrite, error }: PayeeFieldProps) {
  const t = useTexts(payeesTexts)
  const paid = useRead('getSpending', { agent_id: agentId, days: DAYS }).data?.payees.slice(0, MOST) ?? []
  const chosen = paid.find(({ agent_id }) => agent_id === written)
  return (
    <Stack gap="xs">
      <TextInput
        label={t.payee}
        description={chosen?.agent_id ?? t.payeeHint}
        autoComplete="off"
        autoCapitalize="none"
        spellCheck={false}
        name="payee"
        // The name of one that was chosen says more than its id.
        value={chosen?.agent_name ?? written}
        onChange={event => onWrite(event.currentTarget.value)}
        error={error}
      />
      {paid.length > 0 && (
        <div role="group" aria-label={t.paidLately} className={classes.lead}>
          <Text size="sm" c="dimmed">
            {t.paidLately}
          </Text>
          {paid.map(({ agent_id, agent_name }) => (
            <Button key={agent_id} variant="default" size="compact-md" onClick={() => onWrite(agent_id)}>
              {agent_name}
            </Button>
          ))}
        </div>
      )}
    </Stack>
  )
}
