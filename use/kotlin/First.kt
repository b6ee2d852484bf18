import dev.ebb.By
import dev.ebb.Ebb
import dev.ebb.Fn
import dev.ebb.Fn2
import dev.ebb.tensor.Array
import dev.ebb.tensor.Tensor

/** A model is a data class of tensors. */
data class Line(val slope: Tensor, val start: Tensor)

fun main() {
    val squares = Fn<Tensor, Tensor> { x -> x.square().sum() }
    println(Ebb.compile(Ebb.grad(squares)).apply(Array.of(1f, 2f, 3f)))

    val error = Fn2<Line, Tensor, Tensor> { line, x -> x.mul(line.slope).add(line.start).square().mean() }
    val line = Line(Array.scalar(2f), Array.scalar(1f))
    println(Ebb.compile(Ebb.grad(error, By.first())).apply(line, Array.of(0f, 1f)))
}
