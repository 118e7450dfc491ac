// Owns: what a host asks of the mounted folders of one session once they are mounted.

import type { Actor } from "../session/actor.ts";
import { foldersIn } from "../session/folders/folders-slice.ts";
import type { TextJudge } from "../session/text-judge.ts";
import type { SessionCore } from "../session/transact.ts";
import { FolderReader } from "./_folder-reader.ts";
import { Lander, type LandedUpdate } from "./lander.ts";
import type { LandingChoice, LandingPlan } from "./landing-plan.ts";
import { planLanding } from "./plan-landing.ts";
import type { ResolvedMount } from "./mount.ts";
import { folderChangesOf, type FolderChange } from "./folder-change.ts";
import { refresh, type RefreshReport, type RefreshRequest } from "./refresh.ts";

export class SessionFolders {
  readonly #core: SessionCore;
  readonly #actor: Actor;
  readonly #judge: TextJudge;
  readonly #mounts: readonly ResolvedMount[];
  readonly #reader: FolderReader;
  readonly #lander: Lander;

  constructor(core: SessionCore, actor: Actor, judge: TextJudge, mounts: readonly ResolvedMount[]) {
    this.#core = core;
    this.#actor = actor;
    this.#judge = judge;
    this.#mounts = mounts;
    this.#reader = new FolderReader(core, mounts);
    this.#lander = new Lander(core, actor, this.#reader, mounts);
  }

  /** Brings in what changed in the folders. */
  async refresh(request: RefreshRequest): Promise<RefreshReport> {
    await this.#lander.resume();
    return refresh(this.#core, this.#actor, this.#reader, request);
  }

  /** What changed in the folders since, in path order. Writes nothing. */
  async outsideChanges(): Promise<FolderChange[]> {
    const state = await this.#core.timeline.catchUp();
    return folderChangesOf(await this.#reader.scan(foldersIn(state)));
  }

  /** What would be landed. A landing that was cut off is finished first. */
  async plan(choice: LandingChoice): Promise<LandingPlan> {
    await this.#lander.resume();
    const [core, judge, mounts] = [this.#core, this.#judge, this.#mounts];
    return planLanding({ core, judge, mounts, reader: this.#reader, lander: this.#lander }, choice);
  }

  /** Finishes a landing that was cut off, or takes it back; undefined when there is none. */
  resume(): Promise<LandedUpdate | undefined> {
    return this.#lander.resume();
  }

  /** Puts back what a landing replaced. */
  revert(landing: number): Promise<LandedUpdate> {
    return this.#lander.revert(landing);
  }
}
