import type { Page } from 'playwright-core'
import type { Tab } from './browser.ts'

/** A device that makes passkeys in a tab. */
export interface Device {
  readonly page: Page
  /** Whether it verifies its person from now on: by finger, face or PIN. */
  verifyPerson(isVerified: boolean): Promise<unknown>
  remove(): Promise<unknown>
}

/** Gives a tab a device that makes passkeys, and verifies its person unless a test changes that. */
export async function openDevice({ context, page }: Pick<Tab, 'context' | 'page'>): Promise<Device> {
  const devices = await context.newCDPSession(page)
  await devices.send('WebAuthn.enable')
  const { authenticatorId } = await devices.send('WebAuthn.addVirtualAuthenticator', {
    options: {
      protocol: 'ctap2',
      transport: 'internal',
      hasResidentKey: true,
      hasUserVerification: true,
      isUserVerified: true,
      automaticPresenceSimulation: true,
    },
  })
  return {
    page,
    verifyPerson: isUserVerified =>
      devices.send('WebAuthn.setUserVerified', { authenticatorId, isUserVerified }),
    remove: () => devices.send('WebAuthn.removeVirtualAuthenticator', { authenticatorId }),
  }
}

/** Adds a passkey on the page Safety, where the tab is. */
export async function addPasskey({ page }: Pick<Tab, 'page'>, name: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a passkey' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Name').fill(name)
  await dialog.getByRole('button', { name: 'Add a passkey' }).click()
}
