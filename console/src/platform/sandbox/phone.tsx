import { isBatuaError } from '@batua/sdk'
import { Button, Text, TextInput, Title } from '@mantine/core'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { useClient } from '../../api/api.tsx'
import { Card } from '../../components/card.tsx'
import { ErrorNotice } from '../../components/error-notice.tsx'
import { Filters } from '../../components/filters.tsx'
import { Moment } from '../../components/moment.tsx'
import { useTexts } from '../../language/language.tsx'
import classes from './sandbox.module.css'
import { sandboxTexts } from './texts.ts'

/** What a phone got: the last login code, and text messages. */
export function PhonePanel() {
  const t = useTexts(sandboxTexts)
  const client = useClient()
  const [phone, write] = useState('')
  const read = useMutation({
    mutationFn: async () => {
      const [code, { messages }] = await Promise.all([
        client.getSandboxOtp({ phone: phone.trim() }).then(
          found => found.code,
          (error: unknown) => {
            if (isBatuaError(error) && error.status === 404) return null
            throw error
          },
        ),
        client.getSandboxMessages({ phone: phone.trim() }),
      ])
      return { code, messages }
    },
  })
  return (
    <Card>
      <Title order={2}>{t.phone}</Title>
      <Text c="dimmed" mb="sm">
        {t.phoneHint}
      </Text>
      <form
        onSubmit={event => {
          event.preventDefault()
          read.mutate()
        }}
      >
        <Filters>
          <TextInput
            label={t.number}
            type="tel"
            inputMode="tel"
            autoComplete="off"
            value={phone}
            onChange={event => write(event.currentTarget.value)}
          />
          <Button type="submit" variant="default" loading={read.isPending} disabled={phone.trim() === ''}>
            {t.read}
          </Button>
        </Filters>
      </form>
      {read.error !== null && <ErrorNotice error={read.error} />}
      <div role="status">
        {read.data !== undefined && (
          <>
            <Text fw={600}>{read.data.code === null ? t.noCode : t.code(read.data.code)}</Text>
            {read.data.messages.length === 0 ? (
              <Text c="dimmed">{t.noMessages}</Text>
            ) : (
              <ul className={classes.messages}>
                {read.data.messages.map(({ text, sent_at }) => (
                  <li key={`${sent_at} ${text}`}>
                    {text}{' '}
                    <Text component="span" size="sm" c="dimmed">
                      <Moment at={sent_at} />
                    </Text>
                  </li>
                ))}
              </ul>
            )}
          </>
        )}
      </div>
    </Card>
  )
}
