import { type Command, Option } from 'commander';
import type { SettingDefinition } from './setting.ts';
import { type SettingName, serverSettings } from './settings.ts';

/** Gives a command the flags of the named settings. */
export function addSettings(command: Command, names: readonly SettingName[]): void {
  for (const name of names) {
    const setting: SettingDefinition<unknown> & { readonly fallback?: string } = serverSettings[name];
    const option = new Option(`${setting.flag} ${setting.value}`, settingHelp(setting));
    command.addOption(setting.isRepeatable === true ? option.argParser(collect) : option);
  }
}

function collect(value: string, earlier: readonly string[] = []): readonly string[] {
  return [...earlier, value];
}

/** The help text of a setting: what it means, its default, its environment variable. */
export function settingHelp(setting: SettingDefinition<unknown> & { readonly fallback?: string }): string {
  const fallback = setting.fallback === undefined ? '' : `default ${setting.fallback}, `;
  return `${setting.about} (${fallback}or ${setting.env})`;
}
