import { userInfo } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { storeDirectory } from "../../src/cli/store-place.ts";

vi.mock("node:os", async (original) => {
  const os = await original<typeof import("node:os")>();
  return { ...os, userInfo: vi.fn(os.userInfo) };
});

afterEach(() => {
  vi.unstubAllEnvs();
});

function env(values: Readonly<Record<string, string>>): void {
  for (const name of ["HOLDFAST_STORE", "XDG_DATA_HOME", "HOME"]) vi.stubEnv(name, values[name]);
}

test.runIf(process.platform === "linux")(
  "[CLI-58] an empty or relative directory of the environment is as if it were not set",
  () => {
    const { homedir } = userInfo();
    const usual = join(homedir, ".local", "share", "holdfast");
    for (const HOME of ["", "home", "."]) {
      env({ HOME });
      expect(storeDirectory()).toBe(usual);
    }
    env({ HOME: "/home/me", XDG_DATA_HOME: "data" });
    expect(storeDirectory()).toBe("/home/me/.local/share/holdfast");
    env({ HOME: "", XDG_DATA_HOME: "/data" });
    expect(storeDirectory()).toBe("/data/holdfast");
  },
);

test.runIf(process.platform === "linux")("[CLI-58] without any home directory --store is asked for", () => {
  env({ HOME: "" });
  vi.mocked(userInfo).mockImplementationOnce(() => {
    throw new Error("ENOENT");
  });
  expect(() => storeDirectory()).toThrow("--store");
  expect(storeDirectory("kept")).toBe("kept");
});
