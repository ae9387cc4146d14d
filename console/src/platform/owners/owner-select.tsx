import type { Owner } from '@batua/sdk'
import { NativeSelect, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type ReactNode, useState } from 'react'
import { useRead } from '../../api/use-read.ts'
import { useTexts } from '../../language/language.tsx'
import { ownersTexts } from './texts.ts'

const LISTED = 100
const TYPING_MS = 250

interface OwnerSelectProps {
  readonly value: string
  readonly onChange: (ownerId: string) => void
  readonly error?: ReactNode
}

/** One of the platform's owners: of the newest, or of those that were found by name or id. */
export function OwnerSelect({ value, onChange, error }: OwnerSelectProps) {
  const t = useTexts(ownersTexts)
  const [written, write] = useState('')
  const [search] = useDebouncedValue(written.trim(), TYPING_MS)
  const newest = useRead('listOwners', { limit: LISTED }).data
  const found = useRead('listOwners', { search, limit: LISTED }, { enabled: search !== '' }).data
  const listed = (search === '' ? newest : found)?.owners ?? []
  const [chosen, choose] = useState<Pick<Owner, 'owner_id' | 'name'> | null>(null)
  // What is chosen stays, whatever is searched for afterwards.
  const isKept = chosen !== null && !listed.some(({ owner_id }) => owner_id === value)
  const owners = isKept ? [chosen, ...listed] : listed
  const total = newest?.pagination.total ?? 0
  return (
    <>
      {total > LISTED && (
        <TextInput
          type="search"
          size="md"
          label={t.find}
          description={t.findHint(listed.length, total)}
          autoComplete="off"
          value={written}
          onChange={event => write(event.currentTarget.value)}
        />
      )}
      <NativeSelect
        size="md"
        label={t.owner}
        value={value}
        data={[
          { value: '', label: search !== '' && found?.owners.length === 0 ? t.noneFound : '—' },
          ...owners.map(({ owner_id, name }) => ({ value: owner_id, label: name })),
        ]}
        onChange={event => {
          const next = owners.find(({ owner_id }) => owner_id === event.currentTarget.value) ?? null
          choose(next)
          onChange(next?.owner_id ?? '')
        }}
        error={error}
      />
    </>
  )
}
