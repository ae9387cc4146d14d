import type { Platform as PlatformRecord } from '@batua/contract'
import { formatId } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Platform } from './store.ts'

const EMAIL = 'platforms.email'

export function sealEmail(vault: Vault, email: string | null): Buffer | null {
  return email === null ? null : vault.encrypt(email, EMAIL)
}

export function openEmail(vault: Vault, sealed: Buffer | null): string | null {
  return sealed === null ? null : vault.decrypt(sealed, EMAIL)
}

export function platformRecord(vault: Vault, platform: Platform): PlatformRecord {
  return {
    platform_id: formatId('plt', platform.id),
    name: platform.name,
    email: openEmail(vault, platform.email),
    status: platform.status,
    webhook_url: platform.webhookUrl,
    webhook_disabled_at: platform.webhookDisabledAt?.toISOString() ?? null,
    created_at: platform.createdAt.toISOString(),
  }
}
