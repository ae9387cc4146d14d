import { Button, TextInput } from '@mantine/core'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { Filters, SelectFilter } from '../../components/filters.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from '../admin.module.css'
import type { AGENT_STATES } from '../search.ts'
import { given } from '../search.ts'
import { adminTexts } from '../texts.ts'
import { networkTexts } from './texts.ts'

interface Search {
  readonly status?: (typeof AGENT_STATES)[number] | undefined
  readonly owner_id?: string | undefined
  readonly handle?: string | undefined
}

interface AgentSearchProps {
  readonly search: Search
  readonly onSearch: (search: Search) => void
}

/** Finds agents by state, handle or owner; the id of an agent leads to its page. */
export function AgentSearch({ search, onSearch }: AgentSearchProps) {
  const t = useTexts(networkTexts)
  const common = useTexts(adminTexts)
  const navigate = useNavigate()
  const { status, owner_id, handle } = search
  const found = owner_id ?? handle ?? ''
  const [written, write] = useState(found)
  const find = () => {
    const text = written.trim()
    if (text.startsWith('agt_')) {
      void navigate({ to: '/admin/agents/$agentId', params: { agentId: text } })
    } else if (text.startsWith('own_')) onSearch(given({ status, owner_id: text }))
    else onSearch(given({ status, handle: text === '' ? undefined : text }))
  }
  return (
    <Filters areLong>
      <search>
        <form
          className={classes.find}
          onSubmit={event => {
            event.preventDefault()
            find()
          }}
        >
          <TextInput
            label={t.findLabel}
            placeholder={t.findHint}
            maxLength={64}
            autoComplete="off"
            autoCapitalize="none"
            spellCheck={false}
            name="find"
            value={written}
            onChange={event => write(event.currentTarget.value)}
          />
          <Button type="submit" variant="default">
            {t.find}
          </Button>
          {found !== '' && (
            <Button
              variant="subtle"
              onClick={() => {
                write('')
                onSearch(given({ status }))
              }}
            >
              {t.clear}
            </Button>
          )}
        </form>
      </search>
      <SelectFilter
        label={common.state}
        all={common.all}
        value={status}
        options={common.states}
        onChange={chosen => onSearch(given({ status: chosen, owner_id, handle }))}
      />
    </Filters>
  )
}
